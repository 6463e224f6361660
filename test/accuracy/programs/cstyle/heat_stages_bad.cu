/* Explicit heat equation on a ring; stages are data, lanes are streams. */
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define RET_IF_ERR(call)                 \
    do {                                 \
        cudaError_t err__ = (call);      \
        if (err__ != cudaSuccess)        \
            return err__;                \
    } while (0)

enum lane_id { LANE_MAIN, LANE_SIDE, LANE_COUNT };
enum phase_id { PHASE_OVERLAP, PHASE_POST, PHASE_COUNT };

struct domain {
    int n;
    float nu;
    float *u, *unew, *ghost;
    float *residual;
    cudaStream_t lane[LANE_COUNT];
    cudaEvent_t fork, join;
    cudaGraphExec_t exec;
};

struct stage {
    const char *name;
    enum phase_id phase;
    enum lane_id lane;
    cudaError_t (*emit)(struct domain *d, cudaStream_t st);
};

static __global__ void k_halo(const float *u, float *ghost, int n)
{
    ghost[0] = u[n - 1];
    ghost[1] = u[0];
}

static __global__ void k_interior(const float *u, float *unew, int n, float nu)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        unew[i] = u[i] + nu * (u[i - 1] - 2.0f * u[i] + u[i + 1]);
}

static __global__ void k_boundary(const float *u, const float *ghost, float *unew, int n, float nu)
{
    unew[0] = u[0] + nu * (ghost[0] - 2.0f * u[0] + u[1]);
    unew[n - 1] = u[n - 1] + nu * (u[n - 2] - 2.0f * u[n - 1] + ghost[1]);
}

static __global__ void k_residual(const float *u, const float *unew, float *res, int n)
{
    float m = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, fabsf(unew[i] - u[i]));
    *res = m;
}

static cudaError_t emit_interior(struct domain *d, cudaStream_t st)
{
    k_interior<<<(d->n + 127) / 128, 128, 0, st>>>(d->u, d->unew, d->n, d->nu);
    return cudaGetLastError();
}

static cudaError_t emit_halo(struct domain *d, cudaStream_t st)
{
    k_halo<<<1, 1, 0, st>>>(d->u, d->ghost, d->n);
    return cudaGetLastError();
}

static cudaError_t emit_boundary(struct domain *d, cudaStream_t st)
{
    k_boundary<<<1, 1, 0, st>>>(d->u, d->ghost, d->unew, d->n, d->nu);
    return cudaGetLastError();
}

static cudaError_t emit_residual(struct domain *d, cudaStream_t st)
{
    k_residual<<<1, 1, 0, st>>>(d->u, d->unew, d->residual, d->n); // HAZARD dependency #1
    return cudaGetLastError();
}

static cudaError_t emit_commit(struct domain *d, cudaStream_t st)
{
    return cudaMemcpyAsync(d->u, d->unew, sizeof(float) * d->n, cudaMemcpyDeviceToDevice, st);
}

static const struct stage heat_stages[] = {
    {"interior", PHASE_OVERLAP, LANE_MAIN, emit_interior},
    {"halo",     PHASE_OVERLAP, LANE_SIDE, emit_halo},
    {"boundary", PHASE_POST,    LANE_MAIN, emit_boundary},
    {"residual", PHASE_POST,    LANE_SIDE, emit_residual},
    {"commit",   PHASE_POST,    LANE_MAIN, emit_commit},
};

static cudaError_t run_phase(struct domain *d, enum phase_id phase)
{
    for (size_t i = 0; i < ARRAY_SIZE(heat_stages); i++) {
        const struct stage *s = &heat_stages[i];
        if (s->phase != phase)
            continue;
        RET_IF_ERR(s->emit(d, d->lane[s->lane])); // HAZARD dependency #1
    }
    return cudaSuccess;
}

static cudaError_t fork_lanes(struct domain *d)
{
    RET_IF_ERR(cudaEventRecord(d->fork, d->lane[LANE_MAIN]));
    return cudaStreamWaitEvent(d->lane[LANE_SIDE], d->fork, 0);
}

static cudaError_t join_lanes(struct domain *d)
{
    RET_IF_ERR(cudaEventRecord(d->join, d->lane[LANE_SIDE]));
    return cudaStreamWaitEvent(d->lane[LANE_MAIN], d->join, 0);
}

static cudaError_t emit_step(struct domain *d)
{
    RET_IF_ERR(fork_lanes(d));
    RET_IF_ERR(run_phase(d, PHASE_OVERLAP));
    RET_IF_ERR(join_lanes(d));
    return run_phase(d, PHASE_POST);
}

static cudaError_t domain_capture(struct domain *d)
{
    cudaGraph_t graph = NULL;
    cudaError_t err, end;

    RET_IF_ERR(cudaStreamBeginCapture(d->lane[LANE_MAIN], cudaStreamCaptureModeGlobal));
    err = emit_step(d);
    end = cudaStreamEndCapture(d->lane[LANE_MAIN], &graph); // HAZARD dependency #1
    if (err == cudaSuccess)
        err = end;
    if (err == cudaSuccess)
        err = cudaGraphInstantiate(&d->exec, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    return err;
}

static cudaError_t domain_init(struct domain *d, const float *u0, int n)
{
    memset(d, 0, sizeof(*d));
    d->n = n;
    d->nu = 0.25f;
    for (int i = 0; i < LANE_COUNT; i++)
        RET_IF_ERR(cudaStreamCreateWithFlags(&d->lane[i], cudaStreamNonBlocking));
    RET_IF_ERR(cudaEventCreateWithFlags(&d->fork, cudaEventDisableTiming));
    RET_IF_ERR(cudaEventCreateWithFlags(&d->join, cudaEventDisableTiming));
    RET_IF_ERR(cudaMalloc(&d->u, sizeof(float) * n));
    RET_IF_ERR(cudaMalloc(&d->unew, sizeof(float) * n));
    RET_IF_ERR(cudaMalloc(&d->ghost, sizeof(float) * 2));
    RET_IF_ERR(cudaMalloc(&d->residual, sizeof(float)));
    RET_IF_ERR(cudaMemcpyAsync(d->u, u0, sizeof(float) * n, cudaMemcpyHostToDevice, d->lane[LANE_MAIN]));
    return cudaStreamSynchronize(d->lane[LANE_MAIN]);
}

static cudaError_t domain_step(struct domain *d, float *residual)
{
    RET_IF_ERR(cudaGraphLaunch(d->exec, d->lane[LANE_MAIN]));
    RET_IF_ERR(cudaMemcpyAsync(residual, d->residual, sizeof(float), cudaMemcpyDeviceToHost, d->lane[LANE_MAIN]));
    return cudaStreamSynchronize(d->lane[LANE_MAIN]);
}

static void domain_fini(struct domain *d)
{
    if (d->exec)
        cudaGraphExecDestroy(d->exec);
    cudaFree(d->u);
    cudaFree(d->unew);
    cudaFree(d->ghost);
    cudaFree(d->residual);
    cudaEventDestroy(d->fork);
    cudaEventDestroy(d->join);
    for (int i = 0; i < LANE_COUNT; i++)
        cudaStreamDestroy(d->lane[i]);
}

int main(void)
{
    static float u[1024];
    float res[3] = {-1.0f, -1.0f, -1.0f};
    struct domain d;
    cudaError_t err;

    u[0] = 16.0f;
    err = domain_init(&d, u, 1024);
    if (err == cudaSuccess)
        err = domain_capture(&d);
    for (int i = 0; i < 3 && err == cudaSuccess; i++)
        err = domain_step(&d, &res[i]);
    domain_fini(&d);
    puts(err == cudaErrorStreamCaptureUnjoined ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
