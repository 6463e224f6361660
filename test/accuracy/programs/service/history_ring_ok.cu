#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#define TAA_CHECK(x)                                                              \
    do {                                                                          \
        const cudaError_t c_ = (x);                                               \
        if (c_ != cudaSuccess) {                                                  \
            std::printf("taa: %s: %s\nLABEL REFUTED\n", #x, cudaGetErrorString(c_)); \
            std::exit(0);                                                         \
        }                                                                         \
    } while (0)

namespace taa {

constexpr int kPixels = 2048;
constexpr int kHistory = 3;

struct FrameUniforms {
    std::uint32_t slot;
};

struct Settings {
    bool bloom = false;
    std::uint32_t key() const { return bloom ? 1u : 0u; }
};

__global__ void storeHistory(float* ring, const float* color, const FrameUniforms* u) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) ring[u->slot * kPixels + i] = color[i];
}
__global__ void resolve(const float* ring, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kPixels) return;
    float s = 0.f;
    for (int h = 0; h < kHistory; ++h) s += ring[h * kPixels + i];
    out[i] = s;
}
__global__ void bloomPass(float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) out[i] += 1000.f;
}

class TemporalResolver {
public:
    TemporalResolver() {
        TAA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        TAA_CHECK(cudaMalloc(&ring_, kHistory * kPixels * sizeof(float)));
        TAA_CHECK(cudaMalloc(&color_, kPixels * sizeof(float)));
        TAA_CHECK(cudaMalloc(&out_, kPixels * sizeof(float)));
        TAA_CHECK(cudaMalloc(&uniforms_, sizeof(FrameUniforms)));
        TAA_CHECK(cudaMallocHost(&staging_, kPixels * sizeof(float)));
        TAA_CHECK(cudaMemset(ring_, 0, kHistory * kPixels * sizeof(float)));
        TAA_CHECK(cudaDeviceSynchronize());
    }
    ~TemporalResolver() {
        for (auto& [key, exec] : execs_) cudaGraphExecDestroy(exec);
        cudaFreeHost(staging_);
        cudaFree(ring_); cudaFree(color_); cudaFree(out_); cudaFree(uniforms_);
        cudaStreamDestroy(stream_);
    }
    Settings& settings() { return settings_; }

    float frame(float color) {
        const FrameUniforms u{head_ % kHistory};
        for (int i = 0; i < kPixels; ++i) staging_[i] = color;
        cudaGraphExec_t& exec = execs_[settings_.key()];
        if (!exec) exec = record();
        TAA_CHECK(cudaMemcpyAsync(uniforms_, &u, sizeof u, cudaMemcpyHostToDevice, stream_));
        TAA_CHECK(cudaGraphLaunch(exec, stream_));
        float v = 0.f;
        TAA_CHECK(cudaMemcpyAsync(&v, out_ + 12, sizeof v, cudaMemcpyDeviceToHost, stream_));
        TAA_CHECK(cudaStreamSynchronize(stream_));
        ++head_;
        return v;
    }

private:
    cudaGraphExec_t record() {
        TAA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        TAA_CHECK(cudaMemcpyAsync(color_, staging_, kPixels * sizeof(float), cudaMemcpyHostToDevice, stream_));
        storeHistory<<<kPixels / 256, 256, 0, stream_>>>(ring_, color_, uniforms_);
        resolve<<<kPixels / 256, 256, 0, stream_>>>(ring_, out_);
        if (settings_.bloom) bloomPass<<<kPixels / 256, 256, 0, stream_>>>(out_);
        TAA_CHECK(cudaGetLastError());
        cudaGraph_t graph = nullptr;
        TAA_CHECK(cudaStreamEndCapture(stream_, &graph));
        cudaGraphExec_t exec = nullptr;
        TAA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        TAA_CHECK(cudaGraphDestroy(graph));
        return exec;
    }

    Settings settings_;
    std::uint32_t head_ = 0;
    cudaStream_t stream_ = nullptr;
    float *ring_ = nullptr, *color_ = nullptr, *out_ = nullptr, *staging_ = nullptr;
    FrameUniforms* uniforms_ = nullptr;
    std::unordered_map<std::uint32_t, cudaGraphExec_t> execs_;
};

}  // namespace taa

int main() {
    taa::TemporalResolver r;
    bool good = r.frame(1.f) == 1.f && r.frame(2.f) == 3.f && r.frame(4.f) == 7.f && r.frame(8.f) == 14.f;
    r.settings().bloom = true;
    good = r.frame(16.f) == 1028.f && good;
    good = r.frame(32.f) == 1056.f && good;
    r.settings().bloom = false;
    good = r.frame(64.f) == 112.f && good;
    std::puts(good ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
