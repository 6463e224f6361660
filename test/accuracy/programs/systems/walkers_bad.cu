// random walkers with injection: Philox noise, population grows between sweeps, optional diagnostics
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cstdio>
#include <vector>

constexpr int CAP = 1024;
constexpr int BLOCK = 64;
constexpr unsigned long long SEED = 20240611ULL;

#define TRY(x)                                                               \
    do {                                                                     \
        cudaError_t e_ = (x);                                                \
        if (e_ != cudaSuccess) {                                             \
            printf("LABEL REFUTED: %s: %s\n", #x, cudaGetErrorString(e_));   \
            return 0;                                                        \
        }                                                                    \
    } while (0)

struct Sim {
    float* noise;
    float* hops;
    int active = 128;
    unsigned long long offset = 0;
};

__global__ void draw(float* noise, unsigned long long offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t st;
    curand_init(SEED, i, offset, &st);
    noise[i] = curand_uniform(&st);
}
__global__ void hop(float* hops, const float* noise, int active) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < active) hops[i] += 1.0f + 0.0f * noise[i];
}
__global__ void copy_scaled(const float* in, float* out, float f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * f;
}

static void sweep(Sim& s, cudaStream_t q) {
    draw<<<CAP / BLOCK, BLOCK, 0, q>>>(s.noise, s.offset); // HAZARD random
    hop<<<(s.active + BLOCK - 1) / BLOCK, BLOCK, 0, q>>>(s.hops, s.noise, s.active); // HAZARD dynamic_shape
}

static void diagnostics(Sim& s, float* result, cudaStream_t q) {
    float* scratch = nullptr;
    cudaMallocAsync(&scratch, CAP * sizeof(float), q); // HAZARD memory_pool
    copy_scaled<<<CAP / BLOCK, BLOCK, 0, q>>>(s.hops, scratch, 2.0f);
    copy_scaled<<<CAP / BLOCK, BLOCK, 0, q>>>(scratch, result, 5.0f);
}

template <class F>
static cudaError_t record(cudaStream_t q, cudaGraphExec_t* exec, F&& body) {
    cudaGraph_t g = nullptr;
    cudaError_t e = cudaStreamBeginCapture(q, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    body();
    e = cudaStreamEndCapture(q, &g);
    if (e == cudaSuccess) e = cudaGraphInstantiate(exec, g, 0);
    if (g) cudaGraphDestroy(g);
    return e;
}

int main() {
    Sim s;
    float* result;
    cudaStream_t q;
    TRY(cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking));
    TRY(cudaMalloc(&s.noise, CAP * sizeof(float)));
    TRY(cudaMalloc(&s.hops, CAP * sizeof(float)));
    TRY(cudaMalloc(&result, CAP * sizeof(float)));
    TRY(cudaMemset(s.hops, 0, CAP * sizeof(float)));
    TRY(cudaDeviceSynchronize());

    cudaGraphExec_t sweep_exec, diag_exec;
    TRY(record(q, &sweep_exec, [&] { sweep(s, q); }));
    TRY(record(q, &diag_exec, [&] { diagnostics(s, result, q); }));

    float first_noise[3], hops[CAP];
    for (int it = 0; it < 3; ++it) {
        TRY(cudaGraphLaunch(sweep_exec, q));
        TRY(cudaMemcpyAsync(&first_noise[it], s.noise, sizeof(float), cudaMemcpyDeviceToHost, q));
        TRY(cudaStreamSynchronize(q));
        s.active += 128;
        s.offset += 4;
    }
    TRY(cudaMemcpy(hops, s.hops, sizeof hops, cudaMemcpyDeviceToHost));

    TRY(cudaGraphLaunch(diag_exec, q));
    TRY(cudaStreamSynchronize(q));
    cudaError_t again = cudaGraphLaunch(diag_exec, q);
    TRY(cudaStreamSynchronize(q));
    float d0 = 0.0f;
    TRY(cudaMemcpy(&d0, result, sizeof d0, cudaMemcpyDeviceToHost));

    bool repeated = first_noise[0] == first_noise[1] && first_noise[1] == first_noise[2];
    bool confirmed = repeated && hops[0] == 3.0f && hops[200] == 0.0f && hops[300] == 0.0f && again == cudaErrorInvalidValue;
    printf("%s: noise %g %g %g hops %g %g %g diag %s %g\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED",
           first_noise[0], first_noise[1], first_noise[2], hops[0], hops[200], hops[300], cudaGetErrorName(again), d0);
    cudaGraphExecDestroy(sweep_exec);
    cudaGraphExecDestroy(diag_exec);
    return 0;
}
