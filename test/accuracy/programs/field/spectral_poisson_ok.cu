// Spectral solver of the periodic Poisson equation u'' = f on [0, 2 pi). The solve (forward transform, division by the
// symbol, inverse transform) is captured once and replayed for each right-hand side.
#include <cuda_runtime.h>
#include <cufft.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void ensure(bool good, const std::string& what) {
    if (!good) throw std::runtime_error(what);
}

__global__ void divideBySymbol(cufftComplex* modes, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float k = float(i <= n / 2 ? i : i - n);
    const float factor = i == 0 ? 0.0f : -1.0f / (k * k * float(n));
    modes[i].x *= factor;
    modes[i].y *= factor;
}

// Ends the capture on every path; take() hands the graph to the caller.
class CaptureScope {
public:
    explicit CaptureScope(cudaStream_t stream) : stream_(stream) {
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal) == cudaSuccess, "begin capture");
        open_ = true;
    }
    CaptureScope(const CaptureScope&) = delete;
    CaptureScope& operator=(const CaptureScope&) = delete;
    ~CaptureScope() {
        cudaGraph_t graph = nullptr;
        if (open_ && cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    }
    cudaGraph_t take() {
        cudaGraph_t graph = nullptr;
        open_ = false;
        ensure(cudaStreamEndCapture(stream_, &graph) == cudaSuccess, "end capture");
        return graph;
    }

private:
    cudaStream_t stream_;
    bool open_ = false;
};

class PoissonSolver {
public:
    explicit PoissonSolver(int n) : n_(n) {
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess, "stream");
        ensure(cudaMalloc(&field_, n_ * sizeof(cufftComplex)) == cudaSuccess, "field");
        ensure(cudaMemset(field_, 0, n_ * sizeof(cufftComplex)) == cudaSuccess, "field");
        ensure(cufftPlan1d(&forward_, n_, CUFFT_C2C, 1) == CUFFT_SUCCESS, "forward plan");
        ensure(cufftPlan1d(&inverse_, n_, CUFFT_C2C, 1) == CUFFT_SUCCESS, "inverse plan");
        for (cufftHandle plan : {forward_, inverse_}) ensure(cufftSetStream(plan, stream_) == CUFFT_SUCCESS, "plan stream");
        ensure(cudaDeviceSynchronize() == cudaSuccess, "setup");

        enqueue();  // warm-up
        ensure(cudaDeviceSynchronize() == cudaSuccess, "warm-up");

        CaptureScope scope(stream_);
        enqueue();
        cudaGraph_t graph = scope.take();
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        ensure(rc == cudaSuccess, "instantiate");
    }

    ~PoissonSolver() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cufftDestroy(forward_);
        cufftDestroy(inverse_);
        cudaFree(field_);
        cudaStreamDestroy(stream_);
    }

    std::vector<float> solve(const std::vector<float>& f) {
        std::vector<cufftComplex> host(n_);
        for (int i = 0; i < n_; ++i) host[i] = {f[i], 0.0f};
        const std::size_t bytes = n_ * sizeof(cufftComplex);
        ensure(cudaMemcpyAsync(field_, host.data(), bytes, cudaMemcpyHostToDevice, stream_) == cudaSuccess, "upload");
        ensure(cudaGraphLaunch(exec_, stream_) == cudaSuccess, "launch");
        ensure(cudaMemcpyAsync(host.data(), field_, bytes, cudaMemcpyDeviceToHost, stream_) == cudaSuccess, "download");
        ensure(cudaStreamSynchronize(stream_) == cudaSuccess, "solve");
        std::vector<float> u(n_);
        std::transform(host.begin(), host.end(), u.begin(), [](const cufftComplex& c) { return c.x; });
        return u;
    }

private:
    void enqueue() {
        ensure(cufftExecC2C(forward_, field_, field_, CUFFT_FORWARD) == CUFFT_SUCCESS, "forward");
        divideBySymbol<<<(n_ + 63) / 64, 64, 0, stream_>>>(field_, n_);
        ensure(cudaGetLastError() == cudaSuccess, "symbol");
        ensure(cufftExecC2C(inverse_, field_, field_, CUFFT_INVERSE) == CUFFT_SUCCESS, "inverse");
    }

    const int n_;
    cudaStream_t stream_ = nullptr;
    cufftComplex* field_ = nullptr;
    cufftHandle forward_ = 0, inverse_ = 0;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace

int main() {
    try {
        const int n = 256;
        PoissonSolver solver(n);
        int wrongSolves = 0;
        for (int mode = 1; mode <= 4; ++mode) {
            std::vector<float> f(n);
            for (int i = 0; i < n; ++i) f[i] = float(mode * mode) * std::sin(6.2831853f * float(mode * i) / float(n));
            const auto u = solver.solve(f);
            float worst = 0.0f;
            for (int i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(u[i] + f[i] / float(mode * mode)));
            std::printf("mode %d: worst error %g\n", mode, worst);
            wrongSolves += worst > 1e-3f;
        }
        if (wrongSolves == 0) {
            std::puts("LABEL CONFIRMED");
            return 0;
        }
        std::printf("LABEL NOT CONFIRMED: %d of 4 solves are wrong\n", wrongSolves);
    } catch (const std::exception& e) {
        std::printf("LABEL NOT CONFIRMED: %s\n", e.what());
    }
    return 1;
}
