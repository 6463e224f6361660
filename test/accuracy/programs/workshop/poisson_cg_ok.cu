// Conjugate gradients for the shifted 1-D Poisson operator. Scalars stay on the device, so that a group of
// iterations is one graph; the host replays the group until the residual is small enough.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

#define SOLVER_TRY(expr)                                                                        \
    do {                                                                                        \
        const cudaError_t err_ = (expr);                                                        \
        if (err_ != cudaSuccess) {                                                              \
            std::fprintf(stderr, "cg: line %d: %s\n", __LINE__, cudaGetErrorName(err_));        \
            return err_;                                                                        \
        }                                                                                       \
    } while (0)

namespace cg {

constexpr int kThreads = 256;
constexpr int kGroup = 8;  // iterations per graph launch
constexpr float kDiagonal = 4.0f;

__global__ void operatorKernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float left = i > 0 ? x[i - 1] : 0.0f, right = i + 1 < n ? x[i + 1] : 0.0f;
    y[i] = kDiagonal * x[i] - left - right;
}

__global__ void dotKernel(const float* a, const float* b, float* out, int n) {
    __shared__ float part[kThreads];
    float acc = 0.0f;
    for (int i = threadIdx.x; i < n; i += kThreads) acc += a[i] * b[i];
    part[threadIdx.x] = acc;
    __syncthreads();
    for (int w = kThreads / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = part[0];
}

struct Scalars {
    float rr, pap, rrNew;
};

__global__ void stepKernel(float* x, float* r, const float* p, const float* ap, const Scalars* s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float alpha = s->pap > 0.0f ? s->rr / s->pap : 0.0f;
    x[i] += alpha * p[i];
    r[i] -= alpha * ap[i];
}

__global__ void directionKernel(float* p, const float* r, const Scalars* s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float beta = s->rr > 0.0f ? s->rrNew / s->rr : 0.0f;
    p[i] = r[i] + beta * p[i];
}

__global__ void rollKernel(Scalars* s) { s->rr = s->rrNew; }

class Solver {
public:
    explicit Solver(int n) : n_(n), blocks_((n + kThreads - 1) / kThreads) {}
    ~Solver() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (float* v : {x_, r_, p_, ap_}) cudaFree(v);
        cudaFree(s_);
        if (stream_) cudaStreamDestroy(stream_);
    }
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    cudaError_t init() {
        SOLVER_TRY(cudaStreamCreate(&stream_));
        for (float** v : {&x_, &r_, &p_, &ap_}) SOLVER_TRY(cudaMalloc(v, n_ * sizeof(float)));
        SOLVER_TRY(cudaMalloc(&s_, sizeof(Scalars)));
        return cudaSuccess;
    }

    cudaError_t record() {
        SOLVER_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        for (int k = 0; k < kGroup; ++k) iterate();
        cudaGraph_t graph = nullptr;
        SOLVER_TRY(cudaStreamEndCapture(stream_, &graph));
        const cudaError_t built = cudaGraphInstantiate(&exec_, graph, 0);
        SOLVER_TRY(cudaGraphDestroy(graph));
        return built;
    }

    cudaError_t solve(const std::vector<float>& b, float tolerance, std::vector<float>* x, int* launches) {
        const size_t bytes = n_ * sizeof(float);
        SOLVER_TRY(cudaMemset(x_, 0, bytes));
        SOLVER_TRY(cudaMemcpy(r_, b.data(), bytes, cudaMemcpyHostToDevice));
        SOLVER_TRY(cudaMemcpy(p_, r_, bytes, cudaMemcpyDeviceToDevice));
        dot(r_, r_, &s_->rr);
        SOLVER_TRY(cudaGetLastError());
        float rr = 0.0f;
        for (*launches = 0; *launches < 16;) {
            SOLVER_TRY(cudaGraphLaunch(exec_, stream_));
            ++*launches;
            SOLVER_TRY(cudaMemcpyAsync(&rr, &s_->rr, sizeof rr, cudaMemcpyDeviceToHost, stream_));
            SOLVER_TRY(cudaStreamSynchronize(stream_));
            if (std::sqrt(rr) < tolerance) break;
        }
        x->resize(n_);
        return cudaMemcpy(x->data(), x_, bytes, cudaMemcpyDeviceToHost);
    }

private:
    void dot(const float* a, const float* b, float* out, cudaStream_t stream = nullptr) {
        dotKernel<<<1, kThreads, 0, stream>>>(a, b, out, n_);
    }

    void iterate() {
        operatorKernel<<<blocks_, kThreads, 0, stream_>>>(p_, ap_, n_);
        dot(p_, ap_, &s_->pap, stream_);
        stepKernel<<<blocks_, kThreads, 0, stream_>>>(x_, r_, p_, ap_, s_, n_);
        dot(r_, r_, &s_->rrNew, stream_);
        directionKernel<<<blocks_, kThreads, 0, stream_>>>(p_, r_, s_, n_);
        rollKernel<<<1, 1, 0, stream_>>>(s_);
    }

    const int n_, blocks_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *x_ = nullptr, *r_ = nullptr, *p_ = nullptr, *ap_ = nullptr;
    Scalars* s_ = nullptr;
};

float worstResidual(const std::vector<float>& x, const std::vector<float>& b) {
    float worst = 0.0f;
    const int n = static_cast<int>(x.size());
    for (int i = 0; i < n; ++i) {
        const float left = i > 0 ? x[i - 1] : 0.0f, right = i + 1 < n ? x[i + 1] : 0.0f;
        worst = std::fmax(worst, std::fabs(b[i] - (kDiagonal * x[i] - left - right)));
    }
    return worst;
}

}  // namespace cg

int main() {
    constexpr int kUnknowns = 2000;
    cg::Solver solver(kUnknowns);
    if (solver.init() != cudaSuccess) {
        std::puts("LABEL UNOBSERVED");
        return 1;
    }
    const cudaError_t recorded = solver.record();
    std::printf("record: %s\n", cudaGetErrorName(recorded));
    bool confirmed = recorded == cudaSuccess;
    std::vector<float> b(kUnknowns), x;
    for (int load = 1; confirmed && load <= 3; ++load) {
        for (int i = 0; i < kUnknowns; ++i) b[i] = std::sin(0.01f * i * load) + (i == 700 * (load - 1) ? 2.0f : 0.0f);
        int launches = 0;
        const cudaError_t solved = solver.solve(b, 1e-4f, &x, &launches);
        const float residual = solved == cudaSuccess ? cg::worstResidual(x, b) : INFINITY;
        std::printf("load %d: %d launches, residual %.2e\n", load, launches, residual);
        confirmed = residual < 1e-3f && launches < 16;
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
