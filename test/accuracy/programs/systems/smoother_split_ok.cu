// two-stream smoother: relaxation on the main stream, residual and norm beside it
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>

struct Grid {
    int n = 1 << 12;
    float *u = nullptr, *r = nullptr, *norm = nullptr;
};

struct Opts {
    bool residual = true;
    bool correction = true;  // ablation: false leaves out the coarse correction
    int sweeps = 3;
};

struct Streams {
    cudaStream_t main, side;
    cudaEvent_t fork, join;
};

__global__ void relax(float* u, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] = 0.5f * u[i] + 0.5f;
}
__global__ void residual(const float* u, float* r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] = 1.0f - u[i];
}
__global__ void max_norm(const float* r, float* norm, int n) {
    float m = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, fabsf(r[i]));
    atomicMax((int*)norm, __float_as_int(m));
}
__global__ void correct(float* u, const float* norm, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] += 0.5f * *norm;
}

static void split(Streams& q) {
    cudaEventRecord(q.fork, q.main);
    cudaStreamWaitEvent(q.side, q.fork, 0);
}
static void merge(Streams& q) { cudaStreamWaitEvent(q.main, q.join, 0); }

static void residual_branch(Grid& g, Streams& q) {
    split(q);
    cudaMemsetAsync(g.norm, 0, sizeof(float), q.side);
    residual<<<g.n / 256, 256, 0, q.side>>>(g.u, g.r, g.n);
    max_norm<<<1, 256, 0, q.side>>>(g.r, g.norm, g.n);
    cudaEventRecord(q.join, q.side);
    merge(q);
}

static cudaError_t build_cycle(Grid& g, Streams& q, const Opts& o, cudaGraphExec_t* out) {
    cudaGraph_t graph = nullptr;
    if (!o.residual) return cudaErrorNotSupported;
    cudaError_t rc = cudaStreamBeginCapture(q.main, cudaStreamCaptureModeGlobal);
    if (rc != cudaSuccess) return rc;
    for (int k = 0; k < o.sweeps; ++k) relax<<<g.n / 256, 256, 0, q.main>>>(g.u, g.n);
    residual_branch(g, q);
    if (o.correction) correct<<<g.n / 256, 256, 0, q.main>>>(g.u, g.norm, g.n);
    rc = cudaStreamEndCapture(q.main, &graph);
    if (rc != cudaSuccess) return rc;
    rc = cudaGraphInstantiate(out, graph, 0);
    cudaGraphDestroy(graph);
    return rc;
}

static void host_cycle(float& u, const Opts& o) {
    for (int k = 0; k < o.sweeps; ++k) u = 0.5f * u + 0.5f;
    float norm = fabsf(1.0f - u);
    if (o.correction) u += 0.5f * norm;
}

int main() {
    Grid g;
    Streams q;
    cudaMalloc(&g.u, g.n * sizeof(float));
    cudaMalloc(&g.r, g.n * sizeof(float));
    cudaMalloc(&g.norm, sizeof(float));
    cudaMemset(g.u, 0, g.n * sizeof(float));
    cudaStreamCreateWithFlags(&q.main, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&q.side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&q.fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&q.join, cudaEventDisableTiming);
    cudaDeviceSynchronize();

    Opts full, no_residual;
    no_residual.residual = false;
    cudaGraphExec_t cycle = nullptr;
    cudaError_t built = build_cycle(g, q, full, &cycle);
    float u_ref = 0.0f, u = 0.0f;
    cudaError_t ran = cudaSuccess;
    if (built == cudaSuccess) {
        for (int k = 0; k < 2; ++k) {
            if (ran == cudaSuccess) ran = cudaGraphLaunch(cycle, q.main);
            host_cycle(u_ref, full);
        }
        if (ran == cudaSuccess) ran = cudaStreamSynchronize(q.main);
        cudaMemcpy(&u, g.u + g.n - 1, sizeof u, cudaMemcpyDeviceToHost);
    }

    cudaGraphExec_t none = nullptr;
    cudaError_t ablated = build_cycle(g, q, no_residual, &none);
    cudaError_t afterwards = cudaStreamSynchronize(q.main);
    bool confirmed = built == cudaSuccess && ran == cudaSuccess && ablated == cudaErrorNotSupported &&
                     afterwards == cudaSuccess && fabsf(u - u_ref) < 1e-5f;
    printf("%s: build=%s run=%s ablated=%s sync=%s u=%g ref=%g\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED",
           cudaGetErrorName(built), cudaGetErrorName(ran), cudaGetErrorName(ablated), cudaGetErrorName(afterwards), u, u_ref);
    return 0;
}
