// poisson_sweep: red-black SOR with Chebyshev acceleration for a Poisson problem on the unit square.  Sweeps are
// replayed from a graph; every few sweeps the residual is examined and the iteration stops when it is small enough.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#define CUDA_TRY(expr)                                                                                    \
    do {                                                                                                  \
        const cudaError_t err_ = (expr);                                                                  \
        if (err_ != cudaSuccess) {                                                                        \
            std::fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #expr, cudaGetErrorString(err_));  \
            std::exit(EXIT_FAILURE);                                                                      \
        }                                                                                                 \
    } while (0)

constexpr int kInner = 64, kPitch = kInner + 2, kCells = kPitch * kPitch;
constexpr int kCheckEvery = 10, kMaxSweeps = 400;
constexpr float kTolerance = 1e-2f;

struct Relaxation {
    float omega;
    int half;  // half sweeps done so far
};

__host__ __device__ inline Relaxation next_relaxation(Relaxation r, float rho2) {
    const float w = r.half == 0 ? 1.0f / (1.0f - 0.5f * rho2) : 1.0f / (1.0f - 0.25f * rho2 * r.omega);
    return {w, r.half + 1};
}

__host__ __device__ inline float defect(const float* u, const float* rhs, int c) {
    return 0.25f * (u[c - 1] + u[c + 1] + u[c - kPitch] + u[c + kPitch] + rhs[c]) - u[c];
}

__global__ void relax(float* u, const float* rhs, int color, const Relaxation* r) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x > kInner || y > kInner || ((x + y) & 1) != color) return;
    const int c = y * kPitch + x;
    u[c] += r->omega * defect(u, rhs, c);
}

__global__ void accelerate(Relaxation* r, float rho2) { *r = next_relaxation(*r, rho2); }

__global__ void residual_l1(const float* u, const float* rhs, float* sum) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x <= kInner && y <= kInner) atomicAdd(sum, fabsf(defect(u, rhs, y * kPitch + x)));
}

class SorSolver {
public:
    SorSolver(const std::vector<float>& u0, const std::vector<float>& rhs, float rho2) : rho2_(rho2) {
        CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_TRY(cudaMalloc(&u_, sizeof(float) * kCells));
        CUDA_TRY(cudaMalloc(&rhs_, sizeof(float) * kCells));
        CUDA_TRY(cudaMalloc(&res_, sizeof(float)));
        CUDA_TRY(cudaMallocHost(&host_res_, sizeof(float)));
        *host_res_ = std::numeric_limits<float>::infinity();
        CUDA_TRY(cudaMemcpyAsync(u_, u0.data(), sizeof(float) * kCells, cudaMemcpyHostToDevice, stream_));
        CUDA_TRY(cudaMemcpyAsync(rhs_, rhs.data(), sizeof(float) * kCells, cudaMemcpyHostToDevice, stream_));
        const Relaxation start{1.0f, 0};
        CUDA_TRY(cudaMalloc(&relaxation_, sizeof start));
        CUDA_TRY(cudaMemcpyAsync(relaxation_, &start, sizeof start, cudaMemcpyHostToDevice, stream_));
        CUDA_TRY(cudaStreamSynchronize(stream_));
        sweep_ = build(false);
        checked_sweep_ = build(true);
    }
    ~SorSolver() {
        cudaGraphExecDestroy(sweep_);
        cudaGraphExecDestroy(checked_sweep_);
        cudaFree(relaxation_);
        cudaFree(u_);
        cudaFree(rhs_);
        cudaFree(res_);
        cudaFreeHost(host_res_);
        cudaStreamDestroy(stream_);
    }

    // Returns the number of sweeps made; converged tells whether the residual got below the tolerance.
    int solve(bool& converged) {
        converged = false;
        for (int sweep = 1; sweep <= kMaxSweeps; ++sweep) {
            const bool look = sweep % kCheckEvery == 0;
            CUDA_TRY(cudaGraphLaunch(look ? checked_sweep_ : sweep_, stream_));
            if (!look) continue;
            CUDA_TRY(cudaStreamSynchronize(stream_));
            if (*host_res_ < kTolerance) {
                converged = true;
                return sweep;
            }
        }
        return kMaxSweeps;
    }

    std::vector<float> solution() const {
        std::vector<float> h(kCells);
        CUDA_TRY(cudaMemcpyAsync(h.data(), u_, sizeof(float) * kCells, cudaMemcpyDeviceToHost, stream_));
        CUDA_TRY(cudaStreamSynchronize(stream_));
        return h;
    }

private:
    void enqueue_sweep(bool with_residual) {
        const dim3 block(16, 16), grid(kInner / 16, kInner / 16);
        for (int color = 0; color < 2; ++color) {
            relax<<<grid, block, 0, stream_>>>(u_, rhs_, color, relaxation_);
            accelerate<<<1, 1, 0, stream_>>>(relaxation_, rho2_);
        }
        if (with_residual) {
            cudaMemsetAsync(res_, 0, sizeof(float), stream_);
            residual_l1<<<grid, block, 0, stream_>>>(u_, rhs_, res_);
            cudaMemcpyAsync(host_res_, res_, sizeof(float), cudaMemcpyDeviceToHost, stream_);
        }
    }

    cudaGraphExec_t build(bool with_residual) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CUDA_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        enqueue_sweep(with_residual);
        CUDA_TRY(cudaStreamEndCapture(stream_, &graph));
        CUDA_TRY(cudaGraphInstantiate(&exec, graph, 0));
        CUDA_TRY(cudaGraphDestroy(graph));
        return exec;
    }

    cudaStream_t stream_ = nullptr;
    float *u_ = nullptr, *rhs_ = nullptr, *res_ = nullptr, *host_res_ = nullptr;
    const float rho2_;
    Relaxation* relaxation_ = nullptr;
    cudaGraphExec_t sweep_ = nullptr, checked_sweep_ = nullptr;
};

static void host_sweeps(std::vector<float>& u, const std::vector<float>& rhs, float rho2, int sweeps) {
    Relaxation r{1.0f, 0};
    for (int s = 0; s < sweeps; ++s)
        for (int color = 0; color < 2; ++color) {
            for (int y = 1; y <= kInner; ++y)
                for (int x = 1; x <= kInner; ++x)
                    if (((x + y) & 1) == color) {
                        const int c = y * kPitch + x;
                        u[c] += r.omega * defect(u.data(), rhs.data(), c);
                    }
            r = next_relaxation(r, rho2);
        }
}

int main() {
    std::vector<float> u(kCells, 0.0f), rhs(kCells, 0.001f);
    for (int x = 0; x < kPitch; ++x) u[x] = 1.0f;  // hot edge
    const float rho = std::cos(3.14159265f / (kInner + 1)), rho2 = rho * rho;

    bool converged = false;
    int sweeps = 0;
    std::vector<float> got;
    {
        SorSolver solver(u, rhs, rho2);
        sweeps = solver.solve(converged);
        got = solver.solution();
    }
    host_sweeps(u, rhs, rho2, sweeps);
    float worst = 0.0f;
    for (int c = 0; c < kCells; ++c) {
        const float d = std::fabs(got[c] - u[c]);
        worst = d <= worst ? worst : d;
    }
    std::printf("%d sweeps, converged %d, worst difference %g\n", sweeps, converged, worst);
    std::puts(converged && worst < 1e-3f ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
