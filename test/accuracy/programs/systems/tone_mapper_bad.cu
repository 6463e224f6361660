/* Video tone mapping service: resolution and gamma may change at any time between frames. */
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

struct Resolution {
    int w, h;
    int pixels() const { return w * h; }
};

enum class MapperState { Cold, Ready, Error };

__global__ void toneMap(const unsigned char* in, float* out, const float* lut, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = lut[in[y * w + x]];
}

static std::vector<float> makeLut(float gamma) {
    std::vector<float> lut(256);
    for (int i = 0; i < 256; ++i) lut[i] = std::pow(i / 255.0f, gamma);
    return lut;
}

class ToneMapper {
public:
    static constexpr int kMaxPixels = 640 * 480;

    explicit ToneMapper(Resolution r) : res_(r) {
        note(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        note(cudaMalloc(&in_, kMaxPixels));
        note(cudaMalloc(&out_, kMaxPixels * sizeof(float)));
        note(cudaMalloc(&lutDev_, 256 * sizeof(float)));
        note(cudaMemset(out_, 0, kMaxPixels * sizeof(float)));
        note(cudaDeviceSynchronize());
        lut_ = makeLut(1.0f);
    }
    ~ToneMapper() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(in_);
        cudaFree(out_);
        cudaFree(lutDev_);
        cudaStreamDestroy(stream_);
    }

    void setGamma(float g) { lut_ = makeLut(g); }
    void setResolution(Resolution r) { res_ = r; }

    bool frame(const std::vector<unsigned char>& pixels, std::vector<float>& mapped) {
        switch (state_) {
            case MapperState::Cold:
                arm();
                if (state_ != MapperState::Ready) return false;
                [[fallthrough]];
            case MapperState::Ready:
                mapped.resize(res_.pixels());
                note(cudaMemcpyAsync(in_, pixels.data(), res_.pixels(), cudaMemcpyHostToDevice, stream_));
                note(cudaGraphLaunch(exec_, stream_));
                note(cudaMemcpyAsync(mapped.data(), out_, mapped.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
                note(cudaStreamSynchronize(stream_));
                return state_ == MapperState::Ready;
            case MapperState::Error:
                break;
        }
        return false;
    }
    cudaError_t error() const { return error_; }

private:
    void note(cudaError_t e) {
        if (e == cudaSuccess || error_ != cudaSuccess) return;
        error_ = e;
        state_ = MapperState::Error;
    }
    void arm() {
        cudaGraph_t g = nullptr;
        note(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        note(cudaMemcpyAsync(lutDev_, lut_.data(), 256 * sizeof(float), cudaMemcpyHostToDevice, stream_)); // HAZARD dangling
        dim3 block(16, 16), grid((res_.w + 15) / 16, (res_.h + 15) / 16);
        toneMap<<<grid, block, 0, stream_>>>(in_, out_, lutDev_, res_.w, res_.h); // HAZARD dynamic_shape
        note(cudaStreamEndCapture(stream_, &g));
        note(cudaGraphInstantiate(&exec_, g, 0));
        if (g) note(cudaGraphDestroy(g));
        if (state_ == MapperState::Cold) state_ = MapperState::Ready;
    }

    Resolution res_;
    MapperState state_ = MapperState::Cold;
    cudaError_t error_ = cudaSuccess;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    unsigned char* in_ = nullptr;
    float* out_ = nullptr;
    float* lutDev_ = nullptr;
    std::vector<float> lut_;
};

int main() {
    ToneMapper mapper({64, 48});
    std::vector<float> a, b, c;
    std::vector<unsigned char> small(64 * 48, 51), large(320 * 240, 51);  // 51/255 = 0.2
    bool first = mapper.frame(small, a);
    mapper.setResolution({320, 240});
    bool second = mapper.frame(large, b);
    mapper.setGamma(2.0f);
    bool third = mapper.frame(large, c);
    auto near = [](float v, float r) { return std::fabs(v - r) < 1e-5f; };
    bool base = first && second && third && near(a.back(), 0.2f);
    bool confirmed = base && b.back() == 0.0f && !near(c.front(), 0.04f);
    std::printf("%s: %g %g %g %g %s\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", a.empty() ? -1.0f : a.back(),
                b.empty() ? -1.0f : b.back(), c.empty() ? -1.0f : c.front(), c.empty() ? -1.0f : c.back(),
                cudaGetErrorName(mapper.error()));
    return 0;
}
