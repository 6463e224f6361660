// Ridge regression by full-batch gradient descent with a decaying learning rate; cuBLAS does the linear algebra.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

void expect_ok(cudaError_t rc, int line) {
    if (rc == cudaSuccess) return;
    std::ostringstream msg;
    msg << "cuda: " << cudaGetErrorString(rc) << " @" << line;
    throw std::runtime_error(msg.str());
}
void expect_ok(cublasStatus_t rc, int line) {
    if (rc == CUBLAS_STATUS_SUCCESS) return;
    std::ostringstream msg;
    msg << "cublas: " << cublasGetStatusString(rc) << " @" << line;
    throw std::runtime_error(msg.str());
}
#define OK(call) expect_ok((call), __LINE__)

struct DeviceArray {
    float* p = nullptr;
    size_t n = 0;
    explicit DeviceArray(size_t count) : n(count) { OK(cudaMalloc(&p, n * sizeof(float))); }
    DeviceArray(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(p); }
    void put(const std::vector<float>& h) {
        OK(cudaMemcpy(p, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        OK(cudaDeviceSynchronize());
    }
    std::vector<float> get() const {
        std::vector<float> h(n);
        OK(cudaMemcpy(h.data(), p, n * sizeof(float), cudaMemcpyDeviceToHost));
        return h;
    }
};

struct Problem {
    int n = 512, d = 24;
    float lambda = 0.05f;
    std::vector<float> X, y;  // X is n x d, column-major

    explicit Problem(unsigned seed) : X(size_t(n) * d), y(n) {
        std::mt19937 rng(seed);
        std::normal_distribution<float> normal;
        std::vector<float> truth(d);
        for (float& t : truth) t = normal(rng);
        for (float& x : X) x = normal(rng);
        for (int i = 0; i < n; ++i) {
            y[i] = 0.1f * normal(rng);
            for (int j = 0; j < d; ++j) y[i] += X[size_t(j) * n + i] * truth[j];
        }
    }
};

// eta_t = eta_0 / (1 + decay * t)
struct InverseDecay {
    float eta0, decay;
    float operator()(int t) const { return eta0 / (1.0f + decay * t); }
};

class Trainer {
public:
    Trainer(const Problem& prob, InverseDecay sched)
        : prob_(prob), sched_(sched), X_(prob.X.size()), y_(prob.n), r_(prob.n), w_(prob.d), g_(prob.d),
          workspace_(kWorkspaceFloats), scalars_(kScalarCount) {
        OK(cudaMallocHost(&scalars_host_, kScalarCount * sizeof(float)));
        scalars_host_[kOne] = 1.0f;
        scalars_host_[kMinusOne] = -1.0f;
        scalars_host_[kInvN] = 1.0f / prob.n;
        scalars_host_[kLambda] = prob.lambda;
        scalars_host_[kNegEta] = 0.0f;
        OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        OK(cublasCreate(&blas_));
        OK(cublasSetStream(blas_, stream_));
        OK(cublasSetWorkspace(blas_, workspace_.p, workspace_.n * sizeof(float)));
        OK(cublasSetPointerMode(blas_, CUBLAS_POINTER_MODE_DEVICE));
        X_.put(prob.X);
        y_.put(prob.y);
    }
    ~Trainer() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
        if (blas_) cublasDestroy(blas_);
        if (stream_) cudaStreamDestroy(stream_);
        cudaFreeHost(scalars_host_);
    }

    std::vector<float> fit(int iterations) {
        reset();
        enqueue_iteration();  // warm-up
        OK(cudaStreamSynchronize(stream_));
        reset();
        if (!exec_) capture();
        for (int t = 0; t < iterations; ++t) {
            set_learning_rate(sched_(t));
            OK(cudaGraphLaunch(exec_, stream_));
            OK(cudaStreamSynchronize(stream_));
        }
        return w_.get();
    }

private:
    static constexpr size_t kWorkspaceFloats = 1u << 22;
    enum Scalar { kOne, kMinusOne, kInvN, kLambda, kNegEta, kScalarCount };
    const float* scalar(Scalar s) const { return scalars_.p + s; }

    void reset() {
        w_.put(std::vector<float>(prob_.d, 0.0f));
        set_learning_rate(sched_(0));
    }

    void set_learning_rate(float eta) {
        scalars_host_[kNegEta] = -eta;
    }

    void capture() {
        OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        try {
            enqueue_iteration();
        } catch (...) {
            cudaGraph_t broken = nullptr;
            cudaStreamEndCapture(stream_, &broken);
            if (broken) cudaGraphDestroy(broken);
            throw;
        }
        OK(cudaStreamEndCapture(stream_, &graph_));
        OK(cudaGraphInstantiate(&exec_, graph_, 0));
    }

    void enqueue_iteration() {
        OK(cudaMemcpyAsync(scalars_.p, scalars_host_, kScalarCount * sizeof(float), cudaMemcpyHostToDevice, stream_));
        residual();
        gradient();
        descend();
    }

    // r = X w - y
    void residual() {
        OK(cudaMemcpyAsync(r_.p, y_.p, y_.n * sizeof(float), cudaMemcpyDeviceToDevice, stream_));
        OK(cublasSgemv(blas_, CUBLAS_OP_N, prob_.n, prob_.d, scalar(kOne), X_.p, prob_.n, w_.p, 1, scalar(kMinusOne),
                       r_.p, 1));
    }

    // g = lambda w + X' r / n
    void gradient() {
        OK(cudaMemcpyAsync(g_.p, w_.p, w_.n * sizeof(float), cudaMemcpyDeviceToDevice, stream_));
        OK(cublasSgemv(blas_, CUBLAS_OP_T, prob_.n, prob_.d, scalar(kInvN), X_.p, prob_.n, r_.p, 1, scalar(kLambda),
                       g_.p, 1));
    }

    // w -= eta g
    void descend() {
        OK(cublasSaxpy(blas_, prob_.d, scalar(kNegEta), g_.p, 1, w_.p, 1));
    }

    const Problem& prob_;
    InverseDecay sched_;
    DeviceArray X_, y_, r_, w_, g_, workspace_, scalars_;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t blas_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* scalars_host_ = nullptr;
};

std::vector<double> fit_on_host(const Problem& p, const std::function<double(int)>& eta, int iterations) {
    std::vector<double> w(p.d, 0.0);
    for (int t = 0; t < iterations; ++t) {
        std::vector<double> g(p.d);
        for (int j = 0; j < p.d; ++j) g[j] = p.lambda * w[j];
        for (int i = 0; i < p.n; ++i) {
            double r = -p.y[i];
            for (int j = 0; j < p.d; ++j) r += double(p.X[size_t(j) * p.n + i]) * w[j];
            for (int j = 0; j < p.d; ++j) g[j] += p.X[size_t(j) * p.n + i] * r / p.n;
        }
        for (int j = 0; j < p.d; ++j) w[j] -= eta(t) * g[j];
    }
    return w;
}

double relative_distance(const std::vector<float>& a, const std::vector<double>& b) {
    double num = 0.0, den = 0.0;
    for (size_t i = 0; i < b.size(); ++i) {
        num += (a[i] - b[i]) * (a[i] - b[i]);
        den += b[i] * b[i];
    }
    return std::sqrt(num / den);
}

int main() {
    const int iterations = 10;
    bool confirmed = false;
    try {
        Problem prob(20240611u);
        InverseDecay sched{0.30f, 0.75f};
        Trainer trainer(prob, sched);
        std::vector<float> w = trainer.fit(iterations);
        double err = relative_distance(w, fit_on_host(prob, [&](int t) { return double(sched(t)); }, iterations));
        std::printf("relative distance to the reference iterate after %d steps: %.3e\n", iterations, err);
        confirmed = err < 1e-3;
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
