// Row softmax service with a graph cache keyed by problem shape.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

inline void verify(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorName(e));
}

struct Shape {
    int rows = 0;
    int width = 0;
    size_t elements() const { return size_t(rows) * width; }
};

// Executables are specialised for the row width.
using ShapeKey = int;
inline ShapeKey keyOf(const Shape& s) { return s.width; }

struct Stats {
    int64_t requests = 0;
    int64_t rows = 0;
    int captures = 0;
};

__global__ void rowMax(const float* x, float* mx, int width) {
    const float* row = x + size_t(blockIdx.x) * width;
    if (threadIdx.x == 0) {
        float m = row[0];
        for (int c = 1; c < width; ++c) m = fmaxf(m, row[c]);
        mx[blockIdx.x] = m;
    }
}

__global__ void softmaxRow(const float* x, const float* mx, float* y, int width) {
    __shared__ float denom;
    const size_t base = size_t(blockIdx.x) * width;
    if (threadIdx.x == 0) {
        float s = 0.f;
        for (int c = 0; c < width; ++c) s += expf(x[base + c] - mx[blockIdx.x]);
        denom = s;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < width; c += blockDim.x) y[base + c] = expf(x[base + c] - mx[blockIdx.x]) / denom;
}

class GraphHandle {
public:
    explicit GraphHandle(cudaGraphExec_t e) : exec_(e) {}
    GraphHandle(GraphHandle&& o) noexcept : exec_(std::exchange(o.exec_, nullptr)) {}
    GraphHandle& operator=(GraphHandle&&) = delete;
    ~GraphHandle() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    void launch(cudaStream_t s) const { verify(cudaGraphLaunch(exec_, s)); }

private:
    cudaGraphExec_t exec_;
};

class SoftmaxService {
public:
    explicit SoftmaxService(Shape limit) : limit_(limit) {
        verify(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        verify(cudaMalloc(&x_, limit.elements() * sizeof(float)));
        verify(cudaMalloc(&y_, limit.elements() * sizeof(float)));
        verify(cudaMalloc(&max_, limit.rows * sizeof(float)));
    }
    ~SoftmaxService() {
        cache_.clear();
        cudaFree(max_);
        cudaFree(y_);
        cudaFree(x_);
        cudaStreamDestroy(stream_);
    }
    SoftmaxService(const SoftmaxService&) = delete;
    SoftmaxService& operator=(const SoftmaxService&) = delete;

    std::vector<float> operator()(const Shape& shape, const std::vector<float>& logits) {
        if (shape.rows > limit_.rows || shape.elements() > limit_.elements()) throw std::length_error("shape");
        const size_t bytes = shape.elements() * sizeof(float);
        std::vector<float> probs(shape.elements());
        verify(cudaMemcpyAsync(x_, logits.data(), bytes, cudaMemcpyHostToDevice, stream_));
        verify(cudaMemsetAsync(y_, 0, bytes, stream_));
        lookup(shape).launch(stream_);
        verify(cudaMemcpyAsync(probs.data(), y_, bytes, cudaMemcpyDeviceToHost, stream_));
        verify(cudaStreamSynchronize(stream_));
        stats_.requests += 1;
        return probs;
    }
    const Stats& stats() const { return stats_; }

private:
    const GraphHandle& lookup(const Shape& shape) {
        auto it = cache_.find(keyOf(shape));
        if (it == cache_.end()) it = cache_.emplace(keyOf(shape), capture(shape)).first;
        return it->second;
    }

    GraphHandle capture(const Shape& shape) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        rowMax<<<shape.rows, 32, 0, stream_>>>(x_, max_, shape.width);  // HAZARD dynamic_shape #rows
        softmaxRow<<<shape.rows, 64, 0, stream_>>>(x_, max_, y_, shape.width);  // HAZARD dynamic_shape #rows
        stats_.rows += shape.rows;  // HAZARD host_logic
        stats_.captures += 1;
        verify(cudaStreamEndCapture(stream_, &graph));
        verify(cudaGraphInstantiate(&exec, graph, 0));
        verify(cudaGraphDestroy(graph));
        return GraphHandle(exec);
    }

    Shape limit_;
    cudaStream_t stream_ = nullptr;
    float *x_ = nullptr, *y_ = nullptr, *max_ = nullptr;
    std::map<ShapeKey, GraphHandle> cache_;
    Stats stats_;
};

int main() {
    bool wrongRows = false, failed = false, wrongCount = false;
    try {
        SoftmaxService service(Shape{64, 100});
        const std::vector<Shape> traffic = {{4, 100}, {4, 100}, {32, 100}, {8, 50}, {64, 50}, {4, 100}};
        int64_t rows = 0;
        for (const Shape& s : traffic) {
            const auto probs = service(s, std::vector<float>(s.elements(), 0.75f));
            rows += s.rows;
            for (float p : probs) wrongRows |= std::fabs(p - 1.f / s.width) > 1e-5f;
        }
        wrongCount = service.stats().rows != rows;
        std::printf("%lld requests, %lld rows, %d captures\n", (long long)service.stats().requests,
                    (long long)service.stats().rows, service.stats().captures);
    } catch (const std::exception& e) {
        std::printf("failed: %s\n", e.what());
        failed = true;
    }
    std::puts(!failed && wrongRows && wrongCount ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
