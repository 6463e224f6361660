#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <string>
#include <unordered_map>

struct Status {
    int code = 0;
    std::string where;
    explicit operator bool() const { return code == 0; }
};

struct ExecutionProvider {
    cudaStream_t compute = nullptr, aux = nullptr;
    cudaEvent_t forked = nullptr, joined = nullptr;
    ExecutionProvider() {
        cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&aux, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
    }
    ~ExecutionProvider() {
        cudaEventDestroy(forked);
        cudaEventDestroy(joined);
        cudaStreamDestroy(aux);
        cudaStreamDestroy(compute);
    }
    void branch() {
        cudaEventRecord(forked, compute);
        cudaStreamWaitEvent(aux, forked, 0);
    }
    void merge() {
        cudaEventRecord(joined, aux);
        cudaStreamWaitEvent(compute, joined, 0);
    }
};

struct Kernel {
    virtual ~Kernel() = default;
    virtual Status Prepack() { return {}; }
    virtual Status Compute(ExecutionProvider& ep) = 0;
};

class GramKernel : public Kernel {
public:
    GramKernel(const float* a, float* c, int n) : a_(a), c_(c), n_(n) {}
    ~GramKernel() override { if (h_) cublasDestroy(h_); if (ws_) cudaFree(ws_); }
    Status Prepack() override {
        if (cublasCreate(&h_) != CUBLAS_STATUS_SUCCESS) return {1, "cublasCreate"};
        if (cudaMalloc(&ws_, kWs) != cudaSuccess) return {1, "workspace"};
        return {};
    }
    Status Compute(ExecutionProvider& ep) override {
        if (cublasSetStream(h_, ep.compute) != CUBLAS_STATUS_SUCCESS) return {2, "cublasSetStream"};
        if (cublasSetWorkspace(h_, ws_, kWs) != CUBLAS_STATUS_SUCCESS) return {2, "cublasSetWorkspace"};
        const float one = 1.f, zero = 0.f;
        if (cublasSgemm(h_, CUBLAS_OP_T, CUBLAS_OP_N, n_, n_, n_, &one, a_, n_, a_, n_, &zero, c_, n_) != CUBLAS_STATUS_SUCCESS)
            return {3, "cublasSgemm"};
        return {};
    }
private:
    static constexpr size_t kWs = size_t(32) << 20;
    const float* a_;
    float* c_;
    int n_;
    cublasHandle_t h_ = nullptr;
    void* ws_ = nullptr;
};

__global__ void slow_scale(const float* x, float* feat, int n, float s, long long cycles) {
    long long t0 = clock64();
    while (clock64() - t0 < cycles) {}
    int i = threadIdx.x;
    if (i < n) feat[i] = x[i] * s;
}
__global__ void plus(const float* x, float* y, int n, float v) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i] + v;
}

class EdgeKernel : public Kernel {
public:
    EdgeKernel(const float* x, float* feat, float* l, float* r) : x_(x), feat_(feat), l_(l), r_(r) {}
    Status Compute(ExecutionProvider& ep) override {
        slow_scale<<<1, 32, 0, ep.compute>>>(x_, feat_, 16, 3.f, 40000000LL);
        ep.branch();
        plus<<<1, 32, 0, ep.compute>>>(feat_, l_, 16, 1.f);
        plus<<<1, 32, 0, ep.aux>>>(feat_, r_, 16, 2.f);
        ep.merge();
        return cudaPeekAtLastError() == cudaSuccess ? Status{} : Status{4, "edge"};
    }
private:
    const float* x_;
    float *feat_, *l_, *r_;
};

class Session {
public:
    ~Session() { for (auto& kv : execs_) cudaGraphExecDestroy(kv.second); }
    ExecutionProvider& ep() { return ep_; }
    Status Record(const std::string& name, Kernel& k) {
        if (Status s = k.Prepack(); !s) return s;
        if (Status s = k.Compute(ep_); !s) return s;
        if (cudaStreamSynchronize(ep_.compute) != cudaSuccess) return {9, "warm-up"};
        cudaGraph_t g = nullptr;
        cudaGraphExec_t x = nullptr;
        if (cudaStreamBeginCapture(ep_.compute, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return {10, "begin"};
        Status s = k.Compute(ep_);
        cudaError_t e = cudaStreamEndCapture(ep_.compute, &g);
        if (!s || e != cudaSuccess) {
            if (g) cudaGraphDestroy(g);
            (void)cudaGetLastError();
            return s ? Status{int(e), "end"} : s;
        }
        e = cudaGraphInstantiate(&x, g, 0);
        cudaGraphDestroy(g);
        if (e != cudaSuccess) return {int(e), "instantiate"};
        execs_[name] = x;
        return {};
    }
    cudaError_t Run(const std::string& name) {
        cudaError_t e = cudaGraphLaunch(execs_.at(name), ep_.compute);
        return e != cudaSuccess ? e : cudaStreamSynchronize(ep_.compute);
    }
private:
    ExecutionProvider ep_;
    std::unordered_map<std::string, cudaGraphExec_t> execs_;
};

int main() {
    float *buf, h[16], l[16] = {}, r[16] = {}, c = 0.f;
    cudaMalloc(&buf, 5 * 256 * sizeof(float));
    cudaMemset(buf, 0, 5 * 256 * sizeof(float));
    float *x = buf, *feat = buf + 256, *left = buf + 512, *right = buf + 768, *gram = buf + 1024;
    for (int i = 0; i < 16; ++i) h[i] = float(i);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    bool ok = false;
    {
        Session s;
        EdgeKernel edge(x, feat, left, right);
        GramKernel gk(x, gram, 16);
        Status a = s.Record("edge", edge);
        cudaError_t e = a ? s.Run("edge") : cudaErrorUnknown;
        cudaMemcpy(l, left, sizeof l, cudaMemcpyDeviceToHost);
        cudaMemcpy(r, right, sizeof r, cudaMemcpyDeviceToHost);
        Status b = s.Record("gram", gk);
        if (b) {
            for (int i = 0; i < 2 && e == cudaSuccess; ++i) e = s.Run("gram");
            cudaMemcpy(&c, gram, sizeof c, cudaMemcpyDeviceToHost);
        }
        ok = a && b && e == cudaSuccess && l[5] == 16.f && r[5] == 17.f && c == 1240.f;
        std::printf("LABEL %s (%g %g %g, %s)\n", ok ? "CONFIRMED" : "REFUTED", l[5], r[5], c, b.where.c_str());
    }
    cudaFree(buf);
    return 0;
}
