// Chebyshev semi-iteration for SPD systems on top of cuBLAS, with step policies and matrix/vector views.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace krylov {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
inline void ensure(cudaError_t s, const char* op) {
    if (s != cudaSuccess) throw Error(std::string(op) + ": " + cudaGetErrorString(s));
}
inline void ensure(cublasStatus_t s, const char* op) {
    if (s != CUBLAS_STATUS_SUCCESS) throw Error(std::string(op) + ": cublas status " + std::to_string(int(s)));
}

template <class T>
struct DeviceDeleter {
    void operator()(T* p) const { cudaFree(p); }
};
template <class T>
using DeviceArray = std::unique_ptr<T[], DeviceDeleter<T>>;

template <class T>
DeviceArray<T> makeDevice(size_t n) {
    T* p = nullptr;
    ensure(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
    return DeviceArray<T>(p);
}

template <class Real>
struct VectorView {
    Real* data;
    int n;
};
template <class Real>
struct MatrixView {
    const Real* data;
    int rows, cols, ld;
};

template <class Real> struct Blas;
template <>
struct Blas<double> {
    static cublasStatus_t copy(cublasHandle_t h, VectorView<double> x, VectorView<double> y) {
        return cublasDcopy(h, x.n, x.data, 1, y.data, 1);
    }
    static cublasStatus_t gemv(cublasHandle_t h, const double* alpha, MatrixView<double> a, VectorView<double> x,
                               const double* beta, VectorView<double> y) {
        return cublasDgemv(h, CUBLAS_OP_N, a.rows, a.cols, alpha, a.data, a.ld, x.data, 1, beta, y.data, 1);
    }
    static cublasStatus_t axpy(cublasHandle_t h, const double* alpha, VectorView<double> x, VectorView<double> y) {
        return cublasDaxpy(h, x.n, alpha, x.data, 1, y.data, 1);  // HAZARD frozen #omega
    }
};

// ---- step policies -----------------------------------------------------------------------------

template <class Real>
class ChebyshevSteps {
public:
    ChebyshevSteps(Real lo, Real hi, int cycle) : center_((hi + lo) / 2), radius_((hi - lo) / 2), cycle_(cycle) {}
    Real operator()(int k) const {
        return Real(1) / (center_ + radius_ * std::cos(Real(M_PI) * (2 * (k % cycle_) + 1) / (2 * cycle_)));
    }

private:
    Real center_, radius_;
    int cycle_;
};

// ---- solver ------------------------------------------------------------------------------------

template <class Real, class StepPolicy>
class SemiIteration {
public:
    SemiIteration(MatrixView<Real> a, VectorView<Real> b, VectorView<Real> x, StepPolicy steps)
        : a_(a), b_(b), x_(x), steps_(steps), residual_(makeDevice<Real>(b.n)),
          workspace_(makeDevice<char>(kWorkspace)) {
        ensure(cudaStreamCreate(&stream_), "stream");
        ensure(cublasCreate(&blas_), "cublasCreate");
        ensure(cublasSetStream(blas_, stream_), "cublasSetStream");
        ensure(cublasSetWorkspace(blas_, workspace_.get(), kWorkspace), "cublasSetWorkspace");
        ensure(cublasSetPointerMode(blas_, CUBLAS_POINTER_MODE_HOST), "pointer mode");
    }
    SemiIteration(const SemiIteration&) = delete;
    SemiIteration& operator=(const SemiIteration&) = delete;
    ~SemiIteration() {
        if (sweep_) cudaGraphExecDestroy(sweep_);
        cublasDestroy(blas_);
        cudaStreamDestroy(stream_);
    }

    // Runs the sweep eagerly once with a zero step, so that all kernels are loaded, then records it.
    void compile() {
        omega_ = Real(0);
        sweep();
        ensure(cudaStreamSynchronize(stream_), "warm-up");
        omega_ = steps_(0);
        cudaGraph_t graph = nullptr;
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        try {
            sweep();
        } catch (...) {
            if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
            throw;
        }
        ensure(cudaStreamEndCapture(stream_, &graph), "end capture");
        cudaError_t s = cudaGraphInstantiate(&sweep_, graph, 0);
        cudaGraphDestroy(graph);
        ensure(s, "instantiate");
    }

    void iterate(int first, int count) {
        for (int k = first; k < first + count; ++k) {
            omega_ = steps_(k);  // HAZARD frozen #omega
            ensure(cudaGraphLaunch(sweep_, stream_), "launch sweep");
            ensure(cudaStreamSynchronize(stream_), "sweep");
        }
    }

private:
    static constexpr size_t kWorkspace = size_t(32) << 20;

    void sweep() {
        VectorView<Real> r{residual_.get(), b_.n};
        ensure(Blas<Real>::copy(blas_, b_, r), "r = b");
        ensure(Blas<Real>::gemv(blas_, &minusOne_, a_, x_, &one_, r), "r -= A x");
        ensure(Blas<Real>::axpy(blas_, &omega_, r, x_), "x += omega r");  // HAZARD frozen #omega
    }

    MatrixView<Real> a_;
    VectorView<Real> b_, x_;
    StepPolicy steps_;
    DeviceArray<Real> residual_;
    DeviceArray<char> workspace_;
    const Real one_ = Real(1), minusOne_ = Real(-1);
    Real omega_ = Real(0);
    cudaStream_t stream_ = nullptr;
    cublasHandle_t blas_ = nullptr;
    cudaGraphExec_t sweep_ = nullptr;
};

}  // namespace krylov

// ---- host reference ----------------------------------------------------------------------------

static void hostSweep(const std::vector<double>& a, const std::vector<double>& b, std::vector<double>& x, double omega) {
    const int n = int(b.size());
    std::vector<double> r(b);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) r[i] -= a[size_t(j) * n + i] * x[j];
    for (int i = 0; i < n; ++i) x[i] += omega * r[i];
}

static double relativeError(const std::vector<double>& got, const std::vector<double>& want) {
    double num = 0.0, den = 0.0;
    for (size_t i = 0; i < got.size(); ++i) {
        num = std::max(num, std::fabs(got[i] - want[i]));
        den = std::max(den, std::fabs(want[i]));
    }
    return num / den;
}

int main() {
    using namespace krylov;
    constexpr int n = 96, cycle = 6;
    try {
        std::vector<double> a(size_t(n) * n), b(n), x(n, 0.0);
        for (int i = 0; i < n; ++i) {
            b[i] = 1.0 + 0.3 * std::sin(0.4 * i);
            for (int j = 0; j < n; ++j) a[size_t(j) * n + i] = i == j ? 2.2 : (std::abs(i - j) == 1 ? -1.0 : 0.0);
        }
        auto dA = makeDevice<double>(a.size());
        auto dB = makeDevice<double>(n);
        auto dX = makeDevice<double>(n);
        ensure(cudaMemcpy(dA.get(), a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice), "A");
        ensure(cudaMemcpy(dB.get(), b.data(), n * sizeof(double), cudaMemcpyHostToDevice), "b");
        ensure(cudaMemcpy(dX.get(), x.data(), n * sizeof(double), cudaMemcpyHostToDevice), "x");

        ChebyshevSteps<double> steps(0.2, 4.2, cycle);
        SemiIteration<double, ChebyshevSteps<double>> solver({dA.get(), n, n, n}, {dB.get(), n}, {dX.get(), n}, steps);
        solver.compile();

        std::vector<double> got(n);
        double firstError = 0.0, lastError = 0.0;
        for (int k = 0; k < 2 * cycle; ++k) {
            solver.iterate(k, 1);
            hostSweep(a, b, x, steps(k));
            ensure(cudaMemcpy(got.data(), dX.get(), n * sizeof(double), cudaMemcpyDeviceToHost), "download");
            double e = relativeError(got, x);
            if (k == 0) firstError = e;
            lastError = e;
        }
        std::printf("first %.3e last %.3e\n", firstError, lastError);
        bool observed = firstError < 1e-10 && lastError > 1e-3;
        std::puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
        return observed ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
}
