// Harmonic analysis of tide gauges: least-squares fit of tidal constituents by damped gradient steps.
// cuBLAS handles live in a pool with their workspaces; an iteration is put together by a builder.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tide {

constexpr int kSamples = 512;
constexpr int kTerms = 12;

inline void ck(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(std::string("cuda: ") + cudaGetErrorString(e));
}
inline void ck(cublasStatus_t s) {
    if (s != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string("cublas: ") + cublasGetStatusString(s));
}

// Two scalars on the device: the step, and the constant one.
__global__ void dampStep(double* scalars, double factor) { scalars[0] *= factor; }

class DeviceVector {
public:
    explicit DeviceVector(const std::vector<double>& v) : n_(v.size()) {
        ck(cudaMalloc(&p_, n_ * sizeof(double)));
        ck(cudaMemcpy(p_, v.data(), n_ * sizeof(double), cudaMemcpyHostToDevice));
        ck(cudaDeviceSynchronize());
    }
    explicit DeviceVector(size_t n) : DeviceVector(std::vector<double>(n, 0.0)) {}
    DeviceVector(const DeviceVector&) = delete;
    ~DeviceVector() { cudaFree(p_); }
    operator double*() const { return p_; }
    size_t bytes() const { return n_ * sizeof(double); }
    std::vector<double> host() const {
        std::vector<double> v(n_);
        ck(cudaMemcpy(v.data(), p_, bytes(), cudaMemcpyDeviceToHost));
        return v;
    }

private:
    double* p_ = nullptr;
    size_t n_;
};

// cuBLAS handles by role, each with a workspace of its own.
class HandlePool {
public:
    ~HandlePool() {
        for (auto& e : entries_) {
            cublasDestroy(e.second.handle);
            cudaFree(e.second.workspace);
        }
    }
    cublasHandle_t get(const std::string& role) {
        auto it = entries_.find(role);
        if (it != entries_.end()) return it->second.handle;
        Entry e;
        ck(cublasCreate(&e.handle));
        ck(cudaMalloc(&e.workspace, kWorkspace));
        ck(cublasSetWorkspace(e.handle, e.workspace, kWorkspace));
        return entries_.emplace(role, e).first->second.handle;
    }
    cublasHandle_t bind(const std::string& role, cudaStream_t s) {
        cublasHandle_t h = get(role);
        ck(cublasSetStream(h, s));
        ck(cublasSetWorkspace(h, entries_.at(role).workspace, kWorkspace));
        return h;
    }

private:
    static constexpr size_t kWorkspace = 32u << 20;
    struct Entry {
        cublasHandle_t handle = nullptr;
        void* workspace = nullptr;
    };
    std::map<std::string, Entry> entries_;
};

class Iteration {
public:
    Iteration(cudaGraphExec_t e, cudaStream_t s) : exec_(e), stream_(s) {}
    Iteration(Iteration&& o) noexcept : exec_(o.exec_), stream_(o.stream_) { o.exec_ = nullptr; }
    ~Iteration() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    void run() {
        ck(cudaGraphLaunch(exec_, stream_));
        ck(cudaStreamSynchronize(stream_));
    }

private:
    cudaGraphExec_t exec_;
    cudaStream_t stream_;
};

class IterationBuilder {
public:
    using Part = std::function<void(cudaStream_t)>;
    IterationBuilder& then(Part p) {
        parts_.push_back(std::move(p));
        return *this;
    }
    // Every part runs once in the ordinary way, so that libraries can load what they need, then it is recorded.
    Iteration build(cudaStream_t s, const std::function<void()>& restore) {
        for (auto& p : parts_) p(s);
        ck(cudaDeviceSynchronize());
        restore();
        cudaGraph_t g = nullptr;
        cudaGraphExec_t e = nullptr;
        ck(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
        for (auto& p : parts_) p(s);
        ck(cudaStreamEndCapture(s, &g));
        ck(cudaGraphInstantiate(&e, g, 0));
        ck(cudaGraphDestroy(g));
        return Iteration(e, s);
    }

private:
    std::vector<Part> parts_;
};

class HarmonicFit {
public:
    HarmonicFit(HandlePool& pool, const std::vector<double>& design, const std::vector<double>& gauge, double step,
                cudaStream_t s)
        : design_(design), gauge_(gauge), residual_(kSamples), coeff_(kTerms), scalars_({step, 1.0}), step_(step),
          stream_(s), iteration_(compile(pool)) {}

    void iterate() { iteration_.run(); }
    double step() const { return scalars_.host()[0]; }
    std::vector<double> coefficients() const { return coeff_.host(); }
    std::vector<double> residual() const { return residual_.host(); }

private:
    Iteration compile(HandlePool& pool) {
        cublasHandle_t forward = pool.bind("forward", stream_);
        cublasHandle_t adjoint = pool.bind("adjoint", stream_);
        ck(cublasSetPointerMode(adjoint, CUBLAS_POINTER_MODE_DEVICE));
        double* scalars = scalars_;
        IterationBuilder b;
        b.then([=](cudaStream_t s) {
             ck(cudaMemcpyAsync(residual_, gauge_, gauge_.bytes(), cudaMemcpyDeviceToDevice, s));
         })
            .then([=](cudaStream_t) {
                const double minus = -1.0, one = 1.0;
                ck(cublasDgemv(forward, CUBLAS_OP_N, kSamples, kTerms, &minus, design_, kSamples, coeff_, 1, &one,
                               residual_, 1));
            })
            .then([=](cudaStream_t) {
                ck(cublasDgemv(adjoint, CUBLAS_OP_T, kSamples, kTerms, scalars, design_, kSamples, residual_, 1,
                               scalars + 1, coeff_, 1));
            })
            .then([=](cudaStream_t s) {
                double factor = 0.5;
                dampStep<<<1, 1, 0, s>>>(scalars, factor);
                ck(cudaGetLastError());
            });
        return b.build(stream_, [&] {
            ck(cudaMemset(coeff_, 0, coeff_.bytes()));
            ck(cudaMemcpy(scalars_, &step_, sizeof step_, cudaMemcpyHostToDevice));
            ck(cudaDeviceSynchronize());
        });
    }

    DeviceVector design_, gauge_, residual_, coeff_, scalars_;
    const double step_;  // before any damping
    cudaStream_t stream_;
    Iteration iteration_;
};

// Column-major design matrix with cosine and sine of each constituent.
static std::vector<double> designMatrix() {
    const double speed[kTerms / 2] = {0.5059, 0.5236, 0.4964, 0.2625, 0.2434, 0.2611};
    std::vector<double> a(size_t(kSamples) * kTerms);
    for (int j = 0; j < kTerms; ++j)
        for (int i = 0; i < kSamples; ++i)
            a[size_t(j) * kSamples + i] = j % 2 ? std::sin(speed[j / 2] * i) : std::cos(speed[j / 2] * i);
    return a;
}

static std::vector<double> gaugeRecord() {
    std::vector<double> b(kSamples);
    for (int i = 0; i < kSamples; ++i) b[i] = 2.1 * std::cos(0.5059 * i - 0.4) + 0.6 * std::sin(0.2625 * i) + 0.01 * (i % 7);
    return b;
}

static void stepOnCpu(const std::vector<double>& a, const std::vector<double>& b, double step, std::vector<double>& x) {
    std::vector<double> r = b;
    for (int j = 0; j < kTerms; ++j)
        for (int i = 0; i < kSamples; ++i) r[i] -= a[size_t(j) * kSamples + i] * x[j];
    for (int j = 0; j < kTerms; ++j)
        for (int i = 0; i < kSamples; ++i) x[j] += step * a[size_t(j) * kSamples + i] * r[i];
}

static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double d = 0;
    for (size_t i = 0; i < a.size(); ++i) d = std::fmax(d, std::fabs(a[i] - b[i]));
    return d;
}

}  // namespace tide

int main() {
    using namespace tide;
    try {
        const double step = 0.8 / kSamples;
        auto a = designMatrix(), b = gaugeRecord();
        cudaStream_t stream;
        ck(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        HandlePool pool;
        HarmonicFit fit(pool, a, b, step, stream);
        std::vector<double> want(kTerms, 0.0);
        double worst = 0, s = step;
        for (int k = 0; k < 4; ++k, s *= 0.5) {
            fit.iterate();
            stepOnCpu(a, b, s, want);
            double err = distance(fit.coefficients(), want);
            worst = std::fmax(worst, err);
            std::printf("iteration %d: distance to the reference %.3e\n", k, err);
        }
        bool fine = worst < 1e-9 && fit.step() == s && cudaGetLastError() == cudaSuccess;
        std::printf(fine ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
    }
    return 0;
}
