// Explicit heat-equation solver with an FFTW-like plan interface. A plan owns its
// two grids and a graph of one double sweep; the caller may retune the plan
// between executions.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HS_OK = 0, HS_ENOMEM = -1, HS_ECUDA = -2, HS_EINVAL = -3 };

#define HS_TRY(call)                                                              \
    do {                                                                          \
        cudaError_t hs_err_ = (call);                                             \
        if (hs_err_ != cudaSuccess) {                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                    \
                    cudaGetErrorString(hs_err_));                                 \
            rc = HS_ECUDA;                                                        \
            goto done;                                                            \
        }                                                                         \
    } while (0)

struct hs_coef {
    float alpha;
    float source;
};

struct hs_plan_s {
    int n;
    size_t bytes;
    float *grid[2];
    hs_coef coef;
    cudaStream_t stream;
    cudaGraphExec_t exec;
};
typedef struct hs_plan_s *hs_plan;

__global__ void hs_sweep(const float *in, float *out, int n, hs_coef c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (i == 0 || i == n - 1)
        out[i] = in[i];
    else
        out[i] = in[i] + c.alpha * (in[i - 1] - 2.0f * in[i] + in[i + 1]) + c.source;
}

static int hs_record(hs_plan p)
{
    int rc = HS_OK;
    cudaGraph_t graph = NULL;
    const int threads = 128;
    const int blocks = (p->n + threads - 1) / threads;

    HS_TRY(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal));
    for (int half = 0; half < 2; ++half)
        hs_sweep<<<blocks, threads, 0, p->stream>>>(p->grid[half], p->grid[1 - half], p->n, p->coef); // HAZARD frozen
    HS_TRY(cudaStreamEndCapture(p->stream, &graph));
    HS_TRY(cudaGraphInstantiate(&p->exec, graph, 0));
done:
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

static void hs_plan_destroy(hs_plan p)
{
    if (!p)
        return;
    if (p->stream)
        cudaStreamSynchronize(p->stream);
    if (p->exec)
        cudaGraphExecDestroy(p->exec);
    if (p->stream)
        cudaStreamDestroy(p->stream);
    cudaFree(p->grid[0]);
    cudaFree(p->grid[1]);
    free(p);
}

static int hs_plan_retune(hs_plan p, float alpha, float source)
{
    if (alpha <= 0.0f || alpha > 0.5f)
        return HS_EINVAL;
    p->coef.alpha = alpha;
    p->coef.source = source;
    return HS_OK;
}

static int hs_plan_create(hs_plan *out, const float *initial, int n, float alpha, float source)
{
    int rc = HS_OK;
    hs_plan p = (hs_plan)calloc(1, sizeof *p);
    if (!p)
        return HS_ENOMEM;
    p->n = n;
    p->bytes = (size_t)n * sizeof(float);
    HS_TRY(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    HS_TRY(cudaMalloc((void **)&p->grid[0], p->bytes));
    HS_TRY(cudaMalloc((void **)&p->grid[1], p->bytes));
    HS_TRY(cudaMemcpy(p->grid[0], initial, p->bytes, cudaMemcpyHostToDevice));
    HS_TRY(cudaDeviceSynchronize());
    if ((rc = hs_plan_retune(p, alpha, source)) != HS_OK)
        goto done;
    rc = hs_record(p);
done:
    if (rc != HS_OK) {
        hs_plan_destroy(p);
        p = NULL;
    }
    *out = p;
    return rc;
}

static int hs_plan_execute(hs_plan p, float *result)
{
    int rc = HS_OK;
    HS_TRY(cudaGraphLaunch(p->exec, p->stream));
    HS_TRY(cudaMemcpyAsync(result, p->grid[0], p->bytes, cudaMemcpyDeviceToHost, p->stream));
    HS_TRY(cudaStreamSynchronize(p->stream));
done:
    return rc;
}

static void reference_step(float *a, float *b, int n, float alpha, float source)
{
    for (int half = 0; half < 2; ++half) {
        b[0] = a[0];
        b[n - 1] = a[n - 1];
        for (int i = 1; i < n - 1; ++i)
            b[i] = a[i] + alpha * (a[i - 1] - 2.0f * a[i] + a[i + 1]) + source;
        memcpy(a, b, (size_t)n * sizeof(float));
    }
}

int main(void)
{
    enum { N = 512, STEPS = 4 };
    static float ref[N], tmp[N], got[N];
    static const hs_coef schedule[STEPS] = {{0.10f, 0.0f}, {0.10f, 0.0f}, {0.40f, 0.5f}, {0.25f, 1.0f}};
    hs_plan plan = NULL;
    int failures = 0, wrong = 0;

    for (int i = 0; i < N; ++i)
        ref[i] = (float)(i % 16);
    if (hs_plan_create(&plan, ref, N, schedule[0].alpha, schedule[0].source) != HS_OK) {
        puts("LABEL UNOBSERVED");
        return 1;
    }
    for (int s = 0; s < STEPS; ++s) {
        failures += hs_plan_retune(plan, schedule[s].alpha, schedule[s].source) != HS_OK;
        failures += hs_plan_execute(plan, got) != HS_OK;
        reference_step(ref, tmp, N, schedule[s].alpha, schedule[s].source);
        int bad = 0;
        for (int i = 0; i < N; ++i)
            bad += fabsf(got[i] - ref[i]) > 1e-3f;
        printf("step %d: %d cells differ\n", s, bad);
        wrong += bad != 0;
    }
    hs_plan_destroy(plan);
    puts(failures == 0 && wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
