// Relaxation solver: methods in a variant, optional convergence monitor, sweeps replayed as a graph.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace relax {

struct CudaFailure : std::runtime_error {
    CudaFailure(cudaError_t c, const char* where)
        : std::runtime_error(std::string(where) + ": " + cudaGetErrorName(c)), code(c) {}
    cudaError_t code;
};
inline void must(cudaError_t c, const char* where) { if (c != cudaSuccess) throw CudaFailure(c, where); }

__global__ void jacobi(const float* b, const float* diag, float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = b[i] / diag[i];
}
__global__ void richardson(const float* b, const float* diag, float* x, int n, float omega) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += omega * (b[i] - diag[i] * x[i]);
}
__global__ void residualNorm(const float* b, const float* diag, const float* x, int n, float* out) {
    __shared__ float best[256];
    float m = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256) m = fmaxf(m, fabsf(b[i] - diag[i] * x[i]));
    best[threadIdx.x] = m;
    for (int h = 128; h > 0; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + h]);
    }
    if (threadIdx.x == 0) *out = best[0];
}

struct Jacobi {};
struct Richardson { float omega; int inner; };
using Method = std::variant<Jacobi, Richardson>;

struct System { const float* b; const float* diag; float* x; int n; };

class Monitor {
public:
    Monitor() {
        must(cudaMalloc(&dev_, sizeof(float)), "monitor");
        must(cudaMallocHost(&host_, sizeof(float)), "monitor");
    }
    ~Monitor() { cudaFree(dev_); cudaFreeHost(host_); }
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;
    void stage(const System& sys, cudaStream_t s) {
        residualNorm<<<1, 256, 0, s>>>(sys.b, sys.diag, sys.x, sys.n, dev_);
        must(cudaGetLastError(), "residual");
        must(cudaMemcpyAsync(host_, dev_, sizeof(float), cudaMemcpyDeviceToHost, s), "residual copy");
    }
    float collect(cudaStream_t s) {
        must(cudaStreamSynchronize(s), "collect"); // HAZARD sync
        history_.push_back(*host_);
        return history_.back();
    }
    const std::vector<float>& history() const { return history_; }
private:
    float* dev_ = nullptr;
    float* host_ = nullptr;
    std::vector<float> history_;
};

class Sweep {
public:
    Sweep(const System& sys, std::optional<Monitor>& monitor, cudaStream_t s) : sys_(sys), monitor_(monitor), s_(s) {}
    void operator()(const Jacobi&) const {
        jacobi<<<(sys_.n + 255) / 256, 256, 0, s_>>>(sys_.b, sys_.diag, sys_.x, sys_.n);
        must(cudaGetLastError(), "jacobi");
        if (monitor_) monitor_->stage(sys_, s_);
    }
    void operator()(const Richardson& r) const {
        for (int k = 0; k < r.inner; ++k) {
            richardson<<<(sys_.n + 255) / 256, 256, 0, s_>>>(sys_.b, sys_.diag, sys_.x, sys_.n, r.omega);
            must(cudaGetLastError(), "richardson");
        }
        if (monitor_) {
            monitor_->stage(sys_, s_);
            monitor_->collect(s_);
        }
    }
private:
    const System& sys_;
    std::optional<Monitor>& monitor_;
    cudaStream_t s_;
};

class Solver {
public:
    Solver(System sys, Method m, bool monitored) : sys_(sys), method_(std::move(m)) {
        if (monitored) monitor_.emplace();
        must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~Solver() {
        cudaStreamSynchronize(stream_);
        if (exec_) cudaGraphExecDestroy(*exec_);
        cudaStreamDestroy(stream_);
    }
    void run(int sweeps) {
        must(cudaMemsetAsync(sys_.x, 0, sys_.n * sizeof(float), stream_), "x0");
        if (!exec_) exec_ = record();
        for (int k = 0; k < sweeps; ++k) {
            must(cudaGraphLaunch(*exec_, stream_), "launch");
            if (monitor_ && std::holds_alternative<Jacobi>(method_)) monitor_->collect(stream_);
        }
        must(cudaStreamSynchronize(stream_), "finish");
    }
    const std::optional<Monitor>& monitor() const { return monitor_; }
private:
    cudaGraphExec_t record() {
        cudaGraph_t g = nullptr;
        must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        try {
            std::visit(Sweep(sys_, monitor_, stream_), method_);
        } catch (...) {
            cudaStreamEndCapture(stream_, &g);
            if (g) cudaGraphDestroy(g);
            throw;
        }
        must(cudaStreamEndCapture(stream_, &g), "end");
        cudaGraphExec_t e = nullptr;
        cudaError_t rc = cudaGraphInstantiate(&e, g, 0);
        cudaGraphDestroy(g);
        must(rc, "instantiate");
        return e;
    }
    System sys_;
    Method method_;
    std::optional<Monitor> monitor_;
    std::optional<cudaGraphExec_t> exec_;
    cudaStream_t stream_ = nullptr;
};

} // namespace relax

int main() {
    const int n = 2000;
    float *b = nullptr, *diag = nullptr, *x = nullptr;
    std::vector<float> hb(n, 8.0f), hd(n, 2.0f), hx(n);
    bool good = true;
    cudaError_t refused = cudaSuccess;
    try {
        relax::must(cudaMalloc(&b, n * sizeof(float)), "b");
        relax::must(cudaMalloc(&diag, n * sizeof(float)), "diag");
        relax::must(cudaMalloc(&x, n * sizeof(float)), "x");
        relax::must(cudaMemcpy(b, hb.data(), n * sizeof(float), cudaMemcpyHostToDevice), "b");
        relax::must(cudaMemcpy(diag, hd.data(), n * sizeof(float), cudaMemcpyHostToDevice), "diag");
        relax::must(cudaDeviceSynchronize(), "setup");
        const relax::System sys{b, diag, x, n};
        auto solved = [&](float want) {
            relax::must(cudaMemcpy(hx.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost), "x");
            for (float v : hx) if (v != want) { std::printf("x %f want %f\n", v, want); return false; }
            return true;
        };
        { relax::Solver s(sys, relax::Jacobi{}, true); s.run(2); good &= solved(4.0f) && s.monitor()->history().size() == 2; }
        { relax::Solver s(sys, relax::Richardson{0.25f, 1}, false); s.run(3); good &= solved(3.5f); }
        relax::Solver s(sys, relax::Richardson{0.25f, 1}, true);
        s.run(3);
        good &= solved(3.5f);
        const std::vector<float>& h = s.monitor()->history();
        good &= h.size() == 3 && h[0] == 4.0f && h[1] == 2.0f && h[2] == 1.0f;
    } catch (const relax::CudaFailure& e) {
        std::printf("%s\n", e.what());
        refused = e.code;
    }
    cudaFree(b);
    cudaFree(diag);
    cudaFree(x);
    bool seen = good && refused == cudaErrorStreamCaptureUnsupported;
    std::printf(seen ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return seen ? 0 : 1;
}
