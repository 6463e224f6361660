#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace krylov {

struct CudaFailure : std::runtime_error {
    CudaFailure(int c, const char* where) : std::runtime_error(std::string(where) + " " + std::to_string(c)), code(c) {}
    int code;
};

inline void ensure(cudaError_t e, const char* where) { if (e != cudaSuccess) throw CudaFailure(int(e), where); }
inline void ensure(cublasStatus_t e, const char* where) { if (e != CUBLAS_STATUS_SUCCESS) throw CudaFailure(int(e), where); }

__global__ void laplace(const float* x, float* y, const float* coeff, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float l = i > 0 ? x[i - 1] : 0.0f, r = i + 1 < n ? x[i + 1] : 0.0f;
    y[i] = coeff[0] * x[i] + coeff[1] * (l + r);
}

__global__ void residual(const float* b, const float* y, float* r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] = b[i] - y[i];
}

// Stencil coefficients.
const float* stencil()
{
    static const float* table = [] {
        float host[2] = {2.0f, -1.0f};
        float* d = nullptr;
        ensure(cudaMalloc(&d, sizeof host), "stencil");  // HAZARD lazy_initialization #stencil
        ensure(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice), "stencil");
        return d;
    }();
    return table;
}

class Blas {
public:
    cublasHandle_t on(cudaStream_t s)
    {
        if (!h_) ensure(cublasCreate(&h_), "cublasCreate");  // HAZARD library_handle #blas
        ensure(cublasSetStream(h_, s), "cublasSetStream");
        return h_;
    }
    ~Blas()
    {
        if (h_) cublasDestroy(h_);
    }

private:
    cublasHandle_t h_ = nullptr;
};

// Scope of one recording.
class Recording {
public:
    explicit Recording(cudaStream_t s) : s_(s) { ensure(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "begin"); }
    ~Recording()
    {
        cudaGraph_t g = nullptr;
        if (s_ && cudaStreamEndCapture(s_, &g) == cudaSuccess && g) cudaGraphDestroy(g);
    }
    cudaGraphExec_t finish()
    {
        cudaGraph_t g = nullptr;
        cudaGraphExec_t x = nullptr;
        ensure(cudaStreamEndCapture(std::exchange(s_, nullptr), &g), "end");
        cudaError_t e = cudaGraphInstantiate(&x, g, 0);
        cudaGraphDestroy(g);
        ensure(e, "instantiate");
        return x;
    }

private:
    cudaStream_t s_;
};

struct System {
    int n;
    float *b = nullptr, *x = nullptr, *y = nullptr, *r = nullptr;
    cudaStream_t s = nullptr;
    Blas blas;

    explicit System(int size) : n(size)
    {
        std::vector<float> one(n, 1.0f);
        ensure(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
        for (float** p : {&b, &x, &y, &r}) {
            ensure(cudaMalloc(p, n * sizeof(float)), "vector");
            ensure(cudaMemcpy(*p, one.data(), n * sizeof(float), cudaMemcpyHostToDevice), "vector");
        }
        ensure(cudaDeviceSynchronize(), "vectors");
    }
    ~System()
    {
        for (float* p : {b, x, y, r}) cudaFree(p);
        cudaStreamDestroy(s);
    }
    void applyOperator() { laplace<<<(n + 127) / 128, 128, 0, s>>>(x, y, stencil(), n); }  // HAZARD lazy_initialization #stencil
    void relax() { float w = 0.5f; ensure(cublasSaxpy(blas.on(s), n, &w, r, 1, x, 1), "axpy"); }  // HAZARD library_handle #blas
    void formResidual() { residual<<<(n + 127) / 128, 128, 0, s>>>(b, y, r, n); }
    void iterate() { applyOperator(); formResidual(); relax(); }
};

template <class F>
int attempt(F&& f)
{
    try { f(); } catch (const CudaFailure& e) { return e.code; }
    return 0;
}

}  // namespace krylov

int main()
{
    int opErr = -1, relaxErr = -1;
    float x0 = 0;
    try {
        krylov::System sys(512);
        opErr = krylov::attempt([&] { krylov::Recording rec(sys.s); sys.applyOperator(); cudaGraphExecDestroy(rec.finish()); });
        cudaGetLastError();
        relaxErr = krylov::attempt([&] { krylov::Recording rec(sys.s); sys.relax(); cudaGraphExecDestroy(rec.finish()); });
        cudaGetLastError();
        krylov::ensure(cudaMemcpy(&x0, sys.x + 256, sizeof x0, cudaMemcpyDeviceToHost), "read");
    } catch (const krylov::CudaFailure& e) {
        std::printf("LABEL REFUTED %s\n", e.what());
        return 0;
    }
    bool label = opErr == int(cudaErrorStreamCaptureUnsupported) && relaxErr != 0 && x0 == 1.0f;
    std::printf("LABEL %s operator=%d relax=%d x=%g\n", label ? "CONFIRMED" : "REFUTED", opErr, relaxErr, x0);
    return 0;
}
