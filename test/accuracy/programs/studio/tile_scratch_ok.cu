#include <cuda_runtime.h>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace tiles {

// value-or-error in the manner of std::expected
template <class T>
class Expected {
public:
    Expected(T v) : value_(std::move(v)) {}
    Expected(cudaError_t e) : error_(e) {}
    explicit operator bool() const { return error_ == cudaSuccess; }
    T& operator*() { return value_; }
    cudaError_t error() const { return error_; }

private:
    T value_{};
    cudaError_t error_ = cudaSuccess;
};

__global__ void raster(float* cover, int n, const float* zoom)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cover[i] = *zoom * float(i);
}

__global__ void resolve(const float* cover, float* tile, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tile[i] = cover[i] + 0.5f;
}

__global__ void layoutLabels(float* labels) { labels[threadIdx.x] = float(threadIdx.x) * 2.0f; }

struct ExecDeleter {
    void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using Exec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

template <class Body>
Expected<Exec> capture(cudaStream_t s, Body&& body)
{
    cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    cudaError_t inner = std::forward<Body>(body)();
    cudaGraph_t g = nullptr;
    e = cudaStreamEndCapture(s, &g);
    if (inner != cudaSuccess) e = inner;
    cudaGraphExec_t x = nullptr;
    if (e == cudaSuccess) e = cudaGraphInstantiate(&x, g, 0);
    if (g) cudaGraphDestroy(g);
    if (e != cudaSuccess) return e;
    return Exec(x);
}

class TileRenderer {
public:
    explicit TileRenderer(cudaStream_t s) : s_(s)
    {
        cudaMalloc(&zoom_, sizeof(float));
        cudaMalloc(&tile_, kMax * sizeof(float));
        cudaMalloc(&labels_, kLabels * sizeof(float));
        cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking);
        for (auto e : {&fork_, &join_}) cudaEventCreateWithFlags(e, cudaEventDisableTiming);
    }
    ~TileRenderer()
    {
        cache_.clear();
        for (float* p : {zoom_, tile_, labels_}) cudaFree(p);
        cudaStreamDestroy(side_);
        for (auto e : {fork_, join_}) cudaEventDestroy(e);
    }
    cudaError_t draw(const std::string& level, int n, float zoom)
    {
        cudaError_t e = cudaMemcpyAsync(zoom_, &zoom, sizeof zoom, cudaMemcpyHostToDevice, s_);
        if (e != cudaSuccess) return e;
        const std::string key = level + ":" + std::to_string(n);
        auto it = cache_.find(key);
        if (it == cache_.end()) {
            auto made = capture(s_, [this, n] { return encode(n); });
            if (!made) return made.error();
            it = cache_.emplace(key, std::move(*made)).first;
        }
        return cudaGraphLaunch(it->second.get(), s_);
    }
    cudaError_t overlay()
    {
        auto made = capture(s_, [this] {
            cudaEventRecord(fork_, s_);
            cudaStreamWaitEvent(side_, fork_, 0);
            layoutLabels<<<1, kLabels, 0, side_>>>(labels_);
            raster<<<1, 256, 0, s_>>>(tile_, 256, zoom_);
            cudaEventRecord(join_, side_);
            cudaStreamWaitEvent(s_, join_, 0);
            return cudaGetLastError();
        });
        if (!made) return made.error();
        cudaError_t e = cudaGraphLaunch((*made).get(), s_);
        return e != cudaSuccess ? e : cudaStreamSynchronize(s_);
    }
    cudaError_t pixel(int i, float* out) const
    {
        cudaError_t e = cudaMemcpyAsync(out, tile_ + i, sizeof(float), cudaMemcpyDeviceToHost, s_);
        return e != cudaSuccess ? e : cudaStreamSynchronize(s_);
    }
    size_t cached() const { return cache_.size(); }

private:
    static constexpr int kMax = 4096, kLabels = 32;

    cudaError_t encode(int n)
    {
        float* cover = nullptr;
        const unsigned blocks = unsigned(n + 255) / 256;
        cudaError_t e = cudaMallocAsync(&cover, n * sizeof(float), s_);
        if (e != cudaSuccess) return e;
        raster<<<blocks, 256, 0, s_>>>(cover, n, zoom_);
        resolve<<<blocks, 256, 0, s_>>>(cover, tile_, n);
        e = cudaGetLastError();
        cudaError_t f = cudaFreeAsync(cover, s_);
        return e != cudaSuccess ? e : f;
    }

    cudaStream_t s_;
    float *zoom_ = nullptr, *tile_ = nullptr, *labels_ = nullptr;
    cudaStream_t side_ = nullptr;
    cudaEvent_t fork_ = nullptr, join_ = nullptr;
    std::unordered_map<std::string, Exec> cache_;
};

}  // namespace tiles
int main()
{
    cudaStream_t s = nullptr;
    if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess) return std::puts("LABEL REFUTED"), 0;
    {
        tiles::TileRenderer r(s);
        float a = 0, b = 0, c = 0;
        cudaError_t e1 = r.draw("z4", 1000, 1.0f);
        cudaError_t p1 = r.pixel(10, &a);
        cudaError_t e2 = r.draw("z4", 1000, 3.0f);
        cudaError_t p2 = r.pixel(10, &b);
        cudaGetLastError();
        cudaError_t e3 = r.draw("z5", 2000, 2.0f);
        cudaError_t p3 = r.pixel(1500, &c);
        cudaError_t ov = r.overlay();
        bool fine = !p1 && !p2 && !p3 && !e1 && !e3 && a == 10.5f && c == 3000.5f && r.cached() == 2;
        bool label = fine && ov == cudaSuccess && e2 == cudaSuccess && b == 30.5f;
        std::printf("LABEL %s e=%d,%d,%d,%d px=%g,%g,%g\n", label ? "CONFIRMED" : "REFUTED", int(e1), int(e2), int(e3),
                    int(ov), a, b, c);
    }
    cudaStreamDestroy(s);
    return 0;
}
