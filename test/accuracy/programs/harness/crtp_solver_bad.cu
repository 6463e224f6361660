// CRTP base for iterative solvers that replay one sweep as a graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace solve {

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t c, const char* where)
        : std::runtime_error(std::string(where) + ": " + cudaGetErrorString(c)), code(c) {}
    const cudaError_t code;
};

inline void require(cudaError_t c, const char* where) {
    if (c != cudaSuccess) throw CudaError(c, where);
}

template <class T>
class Lazy {
public:
    explicit Lazy(size_t n) : n_(n) {}
    Lazy(const Lazy&) = delete;
    ~Lazy() {
        if (p_) cudaFree(p_);
    }
    T* get() {
        if (!p_) require(cudaMalloc(&p_, n_ * sizeof(T)), "scratch");  // HAZARD lazy_initialization
        return p_;
    }
private:
    size_t n_;
    T* p_ = nullptr;
};

__global__ void jacobiSweep(const float* x, float* next, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = 0.5f * x[i] + 1.0f;
}

__global__ void copyBack(const float* next, float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = next[i];
}

template <class Derived>
class Iterative {
public:
    explicit Iterative(int n) : n_(n) {
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        require(cudaMalloc(&x_, n * sizeof(float)), "unknowns");
        require(cudaMemset(x_, 0, n * sizeof(float)), "unknowns");
    }
    Iterative(const Iterative&) = delete;
    ~Iterative() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(x_);
        cudaStreamDestroy(stream_);
    }

    void iterate(int sweeps) {
        if (!exec_) build();
        for (int k = 0; k < sweeps; ++k) require(cudaGraphLaunch(exec_, stream_), "launch");
        require(cudaStreamSynchronize(stream_), "sweeps");
    }
    float first() const {
        float v = 0;
        require(cudaMemcpy(&v, x_, sizeof v, cudaMemcpyDeviceToHost), "read");
        return v;
    }
    cudaStreamCaptureStatus recording() const {
        cudaStreamCaptureStatus s = cudaStreamCaptureStatusNone;
        require(cudaStreamIsCapturing(stream_, &s), "query");
        return s;
    }
protected:
    void build() {
        cudaGraph_t graph = nullptr;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");  // HAZARD capture_scope
        static_cast<Derived*>(this)->sweep(stream_);
        require(cudaStreamEndCapture(stream_, &graph), "end");
        require(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        cudaGraphDestroy(graph);
    }
    int n_;
    float* x_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

class Jacobi : public Iterative<Jacobi> {
public:
    explicit Jacobi(int n) : Iterative(n), next_(n) {}
    void sweep(cudaStream_t s) {
        float* next = next_.get();
        jacobiSweep<<<(n_ + 127) / 128, 128, 0, s>>>(x_, next, n_);
        copyBack<<<(n_ + 127) / 128, 128, 0, s>>>(next, x_, n_);
        require(cudaGetLastError(), "sweep");
    }
private:
    Lazy<float> next_;
};

}  // namespace solve

int main() {
    cudaError_t seen = cudaSuccess;
    cudaStreamCaptureStatus left = cudaStreamCaptureStatusNone;
    float value = -1;
    try {
        solve::Jacobi solver(2000);
        try {
            solver.iterate(1);
            solver.iterate(2);
            value = solver.first();
        } catch (const solve::CudaError& e) {
            seen = e.code;
            std::fprintf(stderr, "%s\n", e.what());
        }
        cudaGetLastError();
        left = solver.recording();
    } catch (const std::exception& e) {
        std::printf("LABEL REFUTED %s\n", e.what());
        return 0;
    }
    if (seen == cudaErrorStreamCaptureUnsupported && left == cudaStreamCaptureStatusInvalidated)
        std::printf("LABEL CONFIRMED\n");
    else
        std::printf("LABEL REFUTED seen=%d left=%d value=%g\n", seen, left, value);
    return 0;
}
