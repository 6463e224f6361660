// Tiny training framework: tensors, a linear module, SGD with momentum and a learning-rate
// schedule. One training step is captured and replayed for every iteration.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static void cuda(cudaError_t e, const char* where)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e));
}

class Tensor {
public:
    explicit Tensor(int n) : n_(n) { cuda(cudaMalloc(&p_, sizeof(float) * n), "Tensor"); }
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;
    ~Tensor() { cudaFree(p_); }
    float* data() const { return p_; }
    int size() const { return n_; }
    void load(const std::vector<float>& v, cudaStream_t s)
    {
        cuda(cudaMemcpyAsync(p_, v.data(), sizeof(float) * n_, cudaMemcpyHostToDevice, s), "load");
        cuda(cudaStreamSynchronize(s), "load");
    }
    std::vector<float> values(cudaStream_t s) const
    {
        std::vector<float> v(n_);
        cuda(cudaMemcpyAsync(v.data(), p_, sizeof(float) * n_, cudaMemcpyDeviceToHost, s), "values");
        cuda(cudaStreamSynchronize(s), "values");
        return v;
    }

private:
    int n_;
    float* p_ = nullptr;
};

__global__ void mseGrad(const float* w, const float* x, const float* y, float* g, int dim, int rows)
{
    int d = threadIdx.x;
    if (d >= dim) return;
    float acc = 0.f;
    for (int r = 0; r < rows; ++r) {
        float e = -y[r];
        for (int k = 0; k < dim; ++k) e += w[k] * x[r * dim + k];
        acc += 2.f * e * x[r * dim + d] / rows;
    }
    g[d] = acc;
}

__global__ void momentumStep(float* w, float* m, const float* g, float lr, float mu, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    m[i] = mu * m[i] + g[i];
    w[i] -= lr * m[i];
}

// Linear warm-up followed by step decay.
class WarmupDecay {
public:
    WarmupDecay(float base, int warmup, int every) : base_(base), warmup_(warmup), every_(every) {}
    float lr() const
    {
        if (step_ < warmup_) return base_ * (step_ + 1) / warmup_;
        return base_ * std::pow(0.5f, static_cast<float>((step_ - warmup_) / every_));
    }
    void advance() { ++step_; }

private:
    float base_;
    int warmup_, every_, step_ = 0;
};

class Linear {
public:
    explicit Linear(int dim) : weight(dim), grad(dim) {}
    void backward(const Tensor& x, const Tensor& y, cudaStream_t s)
    {
        mseGrad<<<1, 32, 0, s>>>(weight.data(), x.data(), y.data(), grad.data(), weight.size(), y.size());
    }
    Tensor weight, grad;
};

class Sgd {
public:
    Sgd(Linear& net, WarmupDecay& sched, float mu) : net_(net), sched_(sched), mu_(mu), m_(net.weight.size()) {}

    void step(cudaStream_t s)
    {
        if (!primed_) {
            cudaMemsetAsync(m_.data(), 0, sizeof(float) * m_.size(), s);  // HAZARD lazy_initialization
            primed_ = true;
        }
        const float lr = sched_.lr();
        momentumStep<<<1, 32, 0, s>>>(net_.weight.data(), m_.data(), net_.grad.data(), lr, mu_, m_.size());  // HAZARD frozen
    }

private:
    Linear& net_;
    WarmupDecay& sched_;
    float mu_;
    Tensor m_;
    bool primed_ = false;
};

class Trainer {
public:
    Trainer(Linear& net, Sgd& opt, WarmupDecay& sched, cudaStream_t s) : net_(net), opt_(opt), sched_(sched), s_(s) {}
    ~Trainer() { if (exec_) cudaGraphExecDestroy(exec_); }

    void compile(const Tensor& x, const Tensor& y)
    {
        cuda(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal), "begin");
        net_.backward(x, y, s_);
        opt_.step(s_);
        cudaGraph_t g = nullptr;
        cuda(cudaStreamEndCapture(s_, &g), "end");
        cudaError_t rc = cudaGraphInstantiate(&exec_, g, 0);
        cudaGraphDestroy(g);
        cuda(rc, "instantiate");
    }
    void iterate()
    {
        cuda(cudaGraphLaunch(exec_, s_), "launch");
        cuda(cudaStreamSynchronize(s_), "iterate");
        sched_.advance();
    }

private:
    Linear& net_;
    Sgd& opt_;
    WarmupDecay& sched_;
    cudaStream_t s_;
    cudaGraphExec_t exec_ = nullptr;
};

int main()
{
    constexpr int dim = 8, rows = 64, iters = 12;
    int wrong = 0, done = 0;
    try {
        cudaStream_t s;
        cuda(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
        std::vector<float> hx(dim * rows), hy(rows), w(dim, 0.f), m(dim, 0.f);
        for (int i = 0; i < dim * rows; ++i) hx[i] = ((i * 37) % 19 - 9) / 9.f;
        for (int r = 0; r < rows; ++r) hy[r] = hx[r * dim] - 0.5f * hx[r * dim + 3] + 0.1f;
        Tensor x(dim * rows), y(rows);
        x.load(hx, s);
        y.load(hy, s);
        Linear net(dim);
        net.weight.load(w, s);
        WarmupDecay sched(0.1f, 3, 3), refSched(0.1f, 3, 3);
        Sgd opt(net, sched, 0.9f);
        Trainer trainer(net, opt, sched, s);
        trainer.compile(x, y);
        for (; done < iters; ++done) {
            trainer.iterate();
            std::vector<float> g(dim, 0.f);
            for (int r = 0; r < rows; ++r) {
                float e = -hy[r];
                for (int k = 0; k < dim; ++k) e += w[k] * hx[r * dim + k];
                for (int d = 0; d < dim; ++d) g[d] += 2.f * e * hx[r * dim + d] / rows;
            }
            bool ok = true;
            const std::vector<float> got = net.weight.values(s);
            for (int d = 0; d < dim; ++d) {
                m[d] = 0.9f * m[d] + g[d];
                w[d] -= refSched.lr() * m[d];
                ok = ok && std::fabs(got[d] - w[d]) < 1e-3f;
            }
            refSched.advance();
            if (!ok) ++wrong;
        }
        cuda(cudaStreamDestroy(s), "destroy");
    } catch (const std::exception& e) {
        std::printf("error: %s\n", e.what());
        done = -1;
    }
    std::printf("iterations %d wrong %d\n", done, wrong);
    std::printf(done == iters && wrong > 0 ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
