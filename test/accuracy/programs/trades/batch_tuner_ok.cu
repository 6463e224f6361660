// Fine-tunes a small regression head on a stream of mini-batches. The loader hands out batches of
// different length (the tail of every shard is shorter), the runner replays a captured step.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#define DIE_IF(expr)                                                                                   \
    do {                                                                                               \
        const cudaError_t rc_ = (expr);                                                                \
        if (rc_ != cudaSuccess) {                                                                      \
            std::fprintf(stderr, "%s failed at %d: %s\n", #expr, __LINE__, cudaGetErrorString(rc_));   \
            std::printf("LABEL UNOBSERVED\n");                                                         \
            std::exit(2);                                                                              \
        }                                                                                              \
    } while (0)

namespace nn {

constexpr int kDim = 4;
constexpr int kMaxRows = 256;

struct Array {
    float* p = nullptr;
    explicit Array(size_t n) { DIE_IF(cudaMalloc(&p, n * sizeof(float))); }
    Array(const Array&) = delete;
    ~Array() { cudaFree(p); }
};

struct TunerSettings {
    float lr = 0.05f;      // fixed for the whole run
    float clip = 4.0f;
};

struct Batch {
    int rows;
    std::vector<float> x, y;
};

class Loader {
public:
    explicit Loader(std::vector<int> lengths) : lengths_(std::move(lengths)) {}
    bool next(Batch& b)
    {
        if (at_ == lengths_.size()) return false;
        b.rows = lengths_[at_];
        b.x.resize(static_cast<size_t>(b.rows) * kDim);
        b.y.resize(b.rows);
        for (int r = 0; r < b.rows; ++r) {
            for (int d = 0; d < kDim; ++d) b.x[r * kDim + d] = ((r * 5 + d * 11 + (int)at_ * 3) % 13 - 6) / 6.f;
            b.y[r] = 0.7f * b.x[r * kDim] - 0.2f * b.x[r * kDim + 2] + 0.3f * at_;
        }
        ++at_;
        return true;
    }

private:
    std::vector<int> lengths_;
    size_t at_ = 0;
};

__global__ void residual(const float* w, const float* x, const float* y, float* e, float clip, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float v = -y[r];
    for (int d = 0; d < kDim; ++d) v += w[d] * x[r * kDim + d];
    e[r] = fminf(fmaxf(v, -clip), clip);
}

__global__ void descend(float* w, const float* x, const float* e, float lr, int rows)
{
    int d = threadIdx.x;
    float g = 0.f;
    for (int r = 0; r < rows; ++r) g += e[r] * x[r * kDim + d];
    w[d] -= lr * g / rows;
}

class StepRunner {
public:
    explicit StepRunner(const TunerSettings& s)
        : settings_(s), w_(kDim), x_(kMaxRows * kDim), y_(kMaxRows), e_(kMaxRows)
    {
        DIE_IF(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        DIE_IF(cudaMallocHost(&hx_, sizeof(float) * kMaxRows * kDim));
        DIE_IF(cudaMallocHost(&hy_, sizeof(float) * kMaxRows));
        DIE_IF(cudaMallocHost(&hw_, sizeof(float) * kDim));
        DIE_IF(cudaMemsetAsync(w_.p, 0, sizeof(float) * kDim, stream_));
        DIE_IF(cudaMemsetAsync(x_.p, 0, sizeof(float) * kMaxRows * kDim, stream_));
        DIE_IF(cudaMemsetAsync(y_.p, 0, sizeof(float) * kMaxRows, stream_));
        DIE_IF(cudaStreamSynchronize(stream_));
    }
    ~StepRunner()
    {
        for (auto& entry : execs_) cudaGraphExecDestroy(entry.second);
        cudaFreeHost(hx_);
        cudaFreeHost(hy_);
        cudaFreeHost(hw_);
        cudaStreamDestroy(stream_);
    }

    void run(const Batch& b)
    {
        std::copy(b.x.begin(), b.x.end(), hx_);
        std::copy(b.y.begin(), b.y.end(), hy_);
        auto it = execs_.find(b.rows);
        if (it == execs_.end()) it = execs_.emplace(b.rows, capture(b)).first;
        DIE_IF(cudaGraphLaunch(it->second, stream_));
        DIE_IF(cudaStreamSynchronize(stream_));
        ++steps_;
    }

    const float* weights() const { return hw_; }
    int steps() const { return steps_; }
    size_t graphs() const { return execs_.size(); }

private:
    cudaGraphExec_t capture(const Batch& b)
    {
        const int block = 64, grid = (b.rows + block - 1) / block;
        DIE_IF(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        DIE_IF(cudaMemcpyAsync(x_.p, hx_, sizeof(float) * b.rows * kDim, cudaMemcpyHostToDevice, stream_));
        DIE_IF(cudaMemcpyAsync(y_.p, hy_, sizeof(float) * b.rows, cudaMemcpyHostToDevice, stream_));
        residual<<<grid, block, 0, stream_>>>(w_.p, x_.p, y_.p, e_.p, settings_.clip, b.rows);
        descend<<<1, kDim, 0, stream_>>>(w_.p, x_.p, e_.p, settings_.lr, b.rows);
        DIE_IF(cudaMemcpyAsync(hw_, w_.p, sizeof(float) * kDim, cudaMemcpyDeviceToHost, stream_));
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        DIE_IF(cudaStreamEndCapture(stream_, &graph));
        DIE_IF(cudaGraphInstantiate(&exec, graph, 0));
        DIE_IF(cudaGraphDestroy(graph));
        return exec;
    }

    const TunerSettings settings_;
    Array w_, x_, y_, e_;
    float *hx_ = nullptr, *hy_ = nullptr, *hw_ = nullptr;
    cudaStream_t stream_ = nullptr;
    std::map<int, cudaGraphExec_t> execs_;  // one step per batch length
    int steps_ = 0;
};

void referenceStep(const TunerSettings& s, const Batch& b, std::vector<float>& w)
{
    std::vector<double> g(kDim, 0.0);
    for (int r = 0; r < b.rows; ++r) {
        float e = -b.y[r];
        for (int d = 0; d < kDim; ++d) e += w[d] * b.x[r * kDim + d];
        e = std::fmin(std::fmax(e, -s.clip), s.clip);
        for (int d = 0; d < kDim; ++d) g[d] += e * b.x[r * kDim + d];
    }
    for (int d = 0; d < kDim; ++d) w[d] -= static_cast<float>(s.lr * g[d] / b.rows);
}

}  // namespace nn

int main()
{
    nn::TunerSettings settings;
    nn::Loader loader({128, 128, 37, 128, 200, 37, 128});
    auto runner = std::make_unique<nn::StepRunner>(settings);
    std::vector<float> w(nn::kDim, 0.f);
    nn::Batch batch;
    int wrong = 0;
    while (loader.next(batch)) {
        runner->run(batch);
        nn::referenceStep(settings, batch, w);
        bool ok = true;
        for (int d = 0; d < nn::kDim; ++d) ok = ok && std::fabs(runner->weights()[d] - w[d]) < 1e-5f;
        if (!ok) ++wrong;
        std::printf("step %d rows %d %s\n", runner->steps(), batch.rows, ok ? "ok" : "MISMATCH");
    }
    const bool confirmed = runner->steps() == 7 && wrong == 0 && runner->graphs() == 3;
    runner.reset();
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
