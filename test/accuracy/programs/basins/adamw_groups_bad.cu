// Linear regression trainer with an AdamW optimizer, parameter groups and a
// warmup/cosine schedule. One optimisation step is recorded into a CUDA graph
// and replayed for every batch.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#define CK(x)                                                                      \
    do {                                                                           \
        cudaError_t e_ = (x);                                                      \
        if (e_ != cudaSuccess) {                                                   \
            std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
            std::puts("LABEL WRONG");                                              \
            std::exit(1);                                                          \
        }                                                                          \
    } while (0)

constexpr int kDim = 8, kBatch = 64, kSteps = 16;
constexpr float kB1 = 0.9f, kB2 = 0.999f, kEps = 1e-8f;

struct Tensor {
    float *data = nullptr, *grad = nullptr, *m = nullptr, *v = nullptr;
    int n = 0;
};

Tensor make_param(int n, float init) {
    Tensor t;
    t.n = n;
    CK(cudaMalloc(&t.data, n * sizeof(float)));
    CK(cudaMalloc(&t.grad, n * sizeof(float)));
    CK(cudaMalloc(&t.m, n * sizeof(float)));
    CK(cudaMalloc(&t.v, n * sizeof(float)));
    std::vector<float> h(n, init);
    CK(cudaMemcpy(t.data, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(t.m, 0, n * sizeof(float)));
    CK(cudaMemset(t.v, 0, n * sizeof(float)));
    return t;
}

__global__ void residual(const float* x, const float* y, const float* w, const float* b, float* r) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kBatch) return;
    float s = b[0] - y[i];
    for (int j = 0; j < kDim; ++j) s += x[i * kDim + j] * w[j];
    r[i] = s;
}

__global__ void grads(const float* x, const float* r, float* gw, float* gb) {
    int j = threadIdx.x;
    if (j > kDim) return;
    float s = 0.f;
    for (int i = 0; i < kBatch; ++i) s += r[i] * (j < kDim ? x[i * kDim + j] : 1.f);
    s *= 2.f / kBatch;
    if (j < kDim) gw[j] = s; else gb[0] = s;
}

__global__ void adamw(float* p, const float* g, float* m, float* v, int n, float lr, float wd, float bc1, float bc2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    m[i] = kB1 * m[i] + (1.f - kB1) * g[i];
    v[i] = kB2 * v[i] + (1.f - kB2) * g[i] * g[i];
    float upd = (m[i] / bc1) / (sqrtf(v[i] / bc2) + kEps);
    p[i] -= lr * (upd + wd * p[i]);
}

struct ParamGroup {
    std::string name;
    std::vector<Tensor*> params;
    float base_lr;
    float lr;
    float weight_decay;
};

class AdamW {
public:
    explicit AdamW(std::vector<ParamGroup> groups) : groups_(std::move(groups)) {
    }
    std::vector<ParamGroup>& groups() { return groups_; }
    void step(cudaStream_t s) {
        ++t_; // HAZARD host_logic
        const float bc1 = 1.f - std::pow(kB1, (float)t_);
        const float bc2 = 1.f - std::pow(kB2, (float)t_);
        for (auto& g : groups_)
            for (Tensor* p : g.params)
                adamw<<<(p->n + 31) / 32, 32, 0, s>>>(p->data, p->grad, p->m, p->v, p->n, g.lr, g.weight_decay, bc1, bc2); // HAZARD frozen
        CK(cudaGetLastError());
    }

private:
    std::vector<ParamGroup> groups_;
    int t_ = 0;
};

class WarmupCosine {
public:
    WarmupCosine(AdamW& opt, int warmup, int total) : opt_(opt), warmup_(warmup), total_(total) { apply(); }
    static float factor(int t, int warmup, int total) {
        if (t < warmup) return (t + 1.f) / warmup;
        return 0.5f * (1.f + std::cos(3.14159265f * (t - warmup) / (total - warmup)));
    }
    void step() { ++t_; apply(); }

private:
    void apply() {
        for (auto& g : opt_.groups()) g.lr = g.base_lr * factor(t_, warmup_, total_);
    }
    AdamW& opt_;
    int warmup_, total_, t_ = 0;
};

class Trainer {
public:
    Trainer() : w_(make_param(kDim, 0.f)), b_(make_param(1, 0.f)),
                opt_({{"weights", {&w_}, 0.10f, 0.f, 0.01f}, {"bias", {&b_}, 0.20f, 0.f, 0.f}}), sched_(opt_, 6, kSteps + 4) {
        CK(cudaStreamCreate(&stream_));
        CK(cudaMalloc(&x_, kBatch * kDim * sizeof(float)));
        CK(cudaMalloc(&y_, kBatch * sizeof(float)));
        CK(cudaMalloc(&r_, kBatch * sizeof(float)));
    }
    void train_step(const std::vector<float>& x, const std::vector<float>& y) {
        CK(cudaMemcpyAsync(x_, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
        CK(cudaMemcpyAsync(y_, y.data(), y.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
        if (!exec_) capture();
        CK(cudaGraphLaunch(exec_, stream_));
        CK(cudaStreamSynchronize(stream_));
        sched_.step();
    }
    std::vector<float> weights() const {
        std::vector<float> out(kDim + 1);
        CK(cudaMemcpy(out.data(), w_.data, kDim * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(out.data() + kDim, b_.data, sizeof(float), cudaMemcpyDeviceToHost));
        return out;
    }

private:
    void capture() {
        cudaGraph_t graph;
        CK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        residual<<<2, 32, 0, stream_>>>(x_, y_, w_.data, b_.data, r_);
        grads<<<1, 32, 0, stream_>>>(x_, r_, w_.grad, b_.grad);
        opt_.step(stream_);
        CK(cudaStreamEndCapture(stream_, &graph));
        CK(cudaGraphInstantiate(&exec_, graph, 0));
        CK(cudaGraphDestroy(graph));
    }
    Tensor w_, b_;
    AdamW opt_;
    WarmupCosine sched_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *x_ = nullptr, *y_ = nullptr, *r_ = nullptr;
};

struct Batch { std::vector<float> x, y; };

std::vector<float> reference(const std::vector<Batch>& data) {
    std::vector<float> p(kDim + 1, 0.f), m(kDim + 1, 0.f), v(kDim + 1, 0.f);
    for (int t = 0; t < kSteps; ++t) {
        std::vector<float> g(kDim + 1, 0.f);
        for (int i = 0; i < kBatch; ++i) {
            float r = p[kDim] - data[t].y[i];
            for (int j = 0; j < kDim; ++j) r += data[t].x[i * kDim + j] * p[j];
            for (int j = 0; j < kDim; ++j) g[j] += r * data[t].x[i * kDim + j] * 2.f / kBatch;
            g[kDim] += r * 2.f / kBatch;
        }
        float f = WarmupCosine::factor(t, 6, kSteps + 4);
        float bc1 = 1.f - std::pow(kB1, t + 1.f), bc2 = 1.f - std::pow(kB2, t + 1.f);
        for (int j = 0; j <= kDim; ++j) {
            float lr = (j < kDim ? 0.10f : 0.20f) * f, wd = j < kDim ? 0.01f : 0.f;
            m[j] = kB1 * m[j] + (1 - kB1) * g[j];
            v[j] = kB2 * v[j] + (1 - kB2) * g[j] * g[j];
            p[j] -= lr * ((m[j] / bc1) / (std::sqrt(v[j] / bc2) + kEps) + wd * p[j]);
        }
    }
    return p;
}

int main() {
    std::mt19937 rng(7);
    std::normal_distribution<float> nd;
    std::vector<Batch> data(kSteps);
    for (auto& b : data) {
        b.x.resize(kBatch * kDim);
        b.y.resize(kBatch);
        for (auto& e : b.x) e = nd(rng);
        for (int i = 0; i < kBatch; ++i) {
            b.y[i] = 0.5f + 0.05f * nd(rng);
            for (int j = 0; j < kDim; ++j) b.y[i] += b.x[i * kDim + j] * (1.5f - 0.4f * j);
        }
    }
    Trainer trainer;
    for (auto& b : data) trainer.train_step(b.x, b.y);
    auto got = trainer.weights(), want = reference(data);
    float worst = 0.f;
    for (int j = 0; j <= kDim; ++j) {
        std::printf("p[%d] = %.5f expected %.5f\n", j, got[j], want[j]);
        worst = std::fmax(worst, std::fabs(got[j] - want[j]));
    }
    std::puts(worst > 0.05f ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
