// thumb_pyramid: builds a pyramid of thumbnails. Resampling weights depend on the pair of widths only and are kept as
// device tables in a PlanCache, created when a pair of widths is seen for the first time.
#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const char* where)
        : std::runtime_error(std::string(where) + " -> " + cudaGetErrorName(code)) {}
};

static void require(cudaError_t code, const char* where) {
    if (code != cudaSuccess) throw CudaError(code, where);
}

template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(size_t n) : n_(n) { require(cudaMalloc(&p_, n * sizeof(T)), "DeviceArray"); }
    DeviceArray(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(p_); }
    T* get() const { return p_; }
    size_t size() const { return n_; }

private:
    T* p_ = nullptr;
    size_t n_;
};

struct Tap {
    int first;
    int count;
    float weight;
};

// Box filter from one width to another.
class ResizePlan {
public:
    ResizePlan(int from, int to) : taps_(to) {
        std::vector<Tap> host(to);
        const int ratio = from / to;
        for (int i = 0; i < to; ++i) host[i] = Tap{i * ratio, ratio, 1.0f / float(ratio)};
        require(cudaMemcpy(taps_.get(), host.data(), to * sizeof(Tap), cudaMemcpyHostToDevice), "plan upload");
    }
    const Tap* taps() const { return taps_.get(); }

private:
    DeviceArray<Tap> taps_;
};

class PlanCache {
public:
    const ResizePlan& plan(int from, int to) {
        auto& slot = plans_[{from, to}];
        if (!slot) slot = std::make_unique<ResizePlan>(from, to);
        return *slot;
    }
    size_t size() const { return plans_.size(); }

private:
    std::map<std::pair<int, int>, std::unique_ptr<ResizePlan>> plans_;
};

struct Level {
    int width, height;
    DeviceArray<float> pixels;
    Level(int w, int h) : width(w), height(h), pixels(size_t(w) * h) {}
};

__global__ void resizeRows(const float* src, int srcWidth, float* dst, int dstWidth, const Tap* taps) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= dstWidth) return;
    const Tap t = taps[x];
    float acc = 0.0f;
    for (int k = 0; k < t.count; ++k) acc += src[size_t(y) * srcWidth + t.first + k];
    dst[size_t(y) * dstWidth + x] = acc * t.weight;
}

class Pyramid {
public:
    Pyramid(int width, int height, int levels) {
        for (int i = 0; i < levels; ++i) levels_.push_back(std::make_unique<Level>(width >> i, height));
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~Pyramid() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void record() {
        // Tables of all levels must exist before the stream is put in capture mode.
        for (size_t i = 1; i < levels_.size(); ++i) plans_.plan(levels_[i - 1]->width, levels_[i]->width);

        cudaGraph_t graph = nullptr;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
        try {
            for (size_t i = 1; i < levels_.size(); ++i) resize(*levels_[i - 1], *levels_[i]);
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        require(cudaStreamEndCapture(stream_, &graph), "end");
        require(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        require(cudaGraphDestroy(graph), "destroy");
    }

    std::vector<float> run(const std::vector<float>& image) {
        Level& top = *levels_.front();
        Level& last = *levels_.back();
        require(cudaMemcpyAsync(top.pixels.get(), image.data(), image.size() * sizeof(float), cudaMemcpyHostToDevice,
                                stream_), "upload");
        require(cudaGraphLaunch(exec_, stream_), "launch");
        std::vector<float> out(last.pixels.size());
        require(cudaMemcpyAsync(out.data(), last.pixels.get(), out.size() * sizeof(float), cudaMemcpyDeviceToHost,
                                stream_), "download");
        require(cudaStreamSynchronize(stream_), "sync");
        return out;
    }

    size_t planCount() const { return plans_.size(); }

private:
    void resize(const Level& src, Level& dst) {
        const ResizePlan& p = plans_.plan(src.width, dst.width);
        const dim3 grid((dst.width + 63) / 64, dst.height);
        resizeRows<<<grid, 64, 0, stream_>>>(src.pixels.get(), src.width, dst.pixels.get(), dst.width, p.taps());
        require(cudaGetLastError(), "resizeRows");
    }

    PlanCache plans_;
    std::vector<std::unique_ptr<Level>> levels_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

int main() {
    constexpr int kWidth = 512, kHeight = 16, kLevels = 4;
    int wrong = 0;
    bool failed = false;
    try {
        Pyramid pyramid(kWidth, kHeight, kLevels);
        pyramid.record();
        for (int frame = 0; frame < 5; ++frame) {
            std::vector<float> image(size_t(kWidth) * kHeight);
            for (int y = 0; y < kHeight; ++y)
                for (int x = 0; x < kWidth; ++x) image[size_t(y) * kWidth + x] = float(8 * (x / 8) + y + frame);
            const std::vector<float> small = pyramid.run(image);
            const int w = kWidth >> (kLevels - 1);
            for (int y = 0; y < kHeight; ++y)
                for (int x = 0; x < w; ++x)
                    if (small[size_t(y) * w + x] != float(8 * x + y + frame)) ++wrong;
        }
        std::printf("%zu plans, %d wrong pixels\n", pyramid.planCount(), wrong);
    } catch (const CudaError& e) {
        std::printf("error: %s\n", e.what());
        failed = true;
    }
    std::printf("%s\n", !failed && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
