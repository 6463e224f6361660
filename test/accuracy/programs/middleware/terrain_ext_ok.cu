#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define TE_CHECK(expr)                                                                   \
    do {                                                                                 \
        cudaError_t te_err = (expr);                                                     \
        if (te_err != cudaSuccess)                                                       \
            throw std::runtime_error(std::string(#expr) + ": " + cudaGetErrorName(te_err)); \
    } while (0)

namespace te {

class BlockCache {
public:
    static BlockCache& instance() {
        static BlockCache* cache = new BlockCache;
        return *cache;
    }
    void* acquire(size_t bytes) {
        auto& list = idle_[bytes];
        if (!list.empty()) {
            void* p = list.back();
            list.pop_back();
            return p;
        }
        void* p = nullptr;
        TE_CHECK(cudaMalloc(&p, bytes));
        return p;
    }
    void release(void* p, size_t bytes) { idle_[bytes].push_back(p); }

private:
    std::map<size_t, std::vector<void*>> idle_;
};

struct Storage {
    explicit Storage(size_t nbytes) : bytes(nbytes), ptr(BlockCache::instance().acquire(nbytes)) {}
    ~Storage() { BlockCache::instance().release(ptr, bytes); }
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    size_t bytes;
    void* ptr;
};

class Tensor {
public:
    Tensor() = default;
    explicit Tensor(int64_t n) : storage_(std::make_shared<Storage>(n * sizeof(float))), numel_(n) {}
    float* data() const { return static_cast<float*>(storage_->ptr); }
    int64_t numel() const { return numel_; }

private:
    std::shared_ptr<Storage> storage_;
    int64_t numel_ = 0;
};

Tensor from_host(const std::vector<float>& v) {
    Tensor t(static_cast<int64_t>(v.size()));
    TE_CHECK(cudaMemcpy(t.data(), v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice));
    TE_CHECK(cudaDeviceSynchronize());
    return t;
}

}  // namespace te

__global__ void to_metres(float* dst, const float* feet, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = feet[i] * 0.5f;
}

__global__ void slope_filter(float* dst, const float* src, const float* taps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = taps[0] * src[max(i - 1, 0)] + taps[1] * src[i] + taps[2] * src[min(i + 1, n - 1)];
}

class SlopeModule {
public:
    explicit SlopeModule(te::Tensor tile) : tile_(tile), metres_(tile.numel()), slope_(tile.numel()) {
        TE_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~SlopeModule() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    void compile(const std::vector<float>& taps) {
        kernel_ = te::from_host(taps);
        forward(kernel_);
        TE_CHECK(cudaStreamSynchronize(stream_));
        TE_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        forward(kernel_);
        cudaGraph_t graph = nullptr;
        TE_CHECK(cudaStreamEndCapture(stream_, &graph));
        TE_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        TE_CHECK(cudaGraphDestroy(graph));
    }
    void set_tile(const te::Tensor& tile) {
        if (tile.numel() != tile_.numel()) throw std::invalid_argument("tile size");
        TE_CHECK(cudaMemcpyAsync(tile_.data(), tile.data(), tile.numel() * sizeof(float),
                                 cudaMemcpyDeviceToDevice, stream_));
    }
    std::vector<float> run() {
        TE_CHECK(cudaGraphLaunch(exec_, stream_));
        std::vector<float> out(slope_.numel());
        TE_CHECK(cudaMemcpyAsync(out.data(), slope_.data(), out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        TE_CHECK(cudaStreamSynchronize(stream_));
        return out;
    }

private:
    void forward(const te::Tensor& taps) {
        int n = static_cast<int>(tile_.numel());
        int blocks = (n + 127) / 128;
        to_metres<<<blocks, 128, 0, stream_>>>(metres_.data(), tile_.data(), n);
        slope_filter<<<blocks, 128, 0, stream_>>>(slope_.data(), metres_.data(), taps.data(), n);
        TE_CHECK(cudaGetLastError());
    }
    te::Tensor tile_, metres_, slope_;
    te::Tensor kernel_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

static bool flat(const std::vector<float>& v, float x) {
    for (float f : v)
        if (std::fabs(f - x) > 1e-4f) return false;
    return true;
}

int main() {
    try {
        te::Tensor first = te::from_host(std::vector<float>(1000, 2.0f));
        te::Tensor second = te::from_host(std::vector<float>(1000, 6.0f));
        SlopeModule module(first);
        module.compile({1.0f, 2.0f, 1.0f});
        bool start = flat(module.run(), 4.0f);
        te::Tensor histogram = te::from_host({10.0f, 10.0f, 10.0f});
        auto a = module.run();
        module.set_tile(second);
        auto b = module.run();
        bool ok = start && flat(a, 4.0f) && flat(b, 12.0f);
        std::printf(ok ? "LABEL CONFIRMED\n" : "LABEL REFUTED %d %f %f\n", start, a[5], b[5]);
    } catch (const std::exception& e) {
        std::printf("LABEL REFUTED %s\n", e.what());
    }
    return 0;
}
