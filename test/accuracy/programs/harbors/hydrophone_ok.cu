/* hyd - passive sonar front end: each detector runs in its own lane of one captured frame graph */
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct hyd_ctx hyd_ctx;
typedef struct hyd_lane hyd_lane;

typedef struct {
    const char *id;
    long long settle; /* cycles the analogue gain model needs before its output is valid */
    cudaError_t (*enqueue)(hyd_ctx *ctx, hyd_lane *lane);
    float (*expect)(const float *x, int begin, int len);
} hyd_detector;

enum { HYD_SAMPLES = 2048, HYD_WINDOW = 64, HYD_BINS = HYD_SAMPLES / HYD_WINDOW, HYD_LANES = 2 };

struct hyd_lane {
    const hyd_detector *det;
    cudaStream_t stream;
    cudaEvent_t done;
    float *work;
    float *bins;
};

struct hyd_ctx {
    cudaStream_t root;
    cudaEvent_t fork;
    hyd_lane lane[HYD_LANES];
    float *samples;
    float *arena;
    float *result;
    float *host_samples;
    float *host_result;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
};

static __device__ void settle_for(long long cycles)
{
    long long t0 = clock64();
    while (clock64() - t0 < cycles) {
    }
}

__global__ void k_power(const float *x, float *work)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < HYD_SAMPLES)
        work[i] = x[i] * x[i];
}

__global__ void k_flux(const float *x, float *work, long long settle)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    settle_for(settle);
    if (i < HYD_SAMPLES)
        work[i] = i ? fabsf(x[i] - x[i - 1]) : 0.0f;
}

__global__ void k_bins(const float *work, float *bins, long long settle)
{
    int b = threadIdx.x;
    settle_for(settle);
    float sum = 0.0f;
    for (int i = 0; i < HYD_WINDOW; i++)
        sum += work[b * HYD_WINDOW + i];
    bins[b] = sum;
}

static cudaError_t energy_enqueue(hyd_ctx *ctx, hyd_lane *ln)
{
    cudaError_t st;
    k_power<<<HYD_SAMPLES / 256, 256, 0, ln->stream>>>(ctx->samples, ln->work);
    if ((st = cudaGetLastError()) != cudaSuccess)
        return st;
    k_bins<<<1, HYD_BINS, 0, ln->stream>>>(ln->work, ln->bins, ln->det->settle);
    return cudaGetLastError();
}

static float energy_expect(const float *x, int begin, int len)
{
    float s = 0.0f;
    for (int i = begin; i < begin + len; i++)
        s += x[i] * x[i];
    return s;
}

static cudaError_t flux_enqueue(hyd_ctx *ctx, hyd_lane *ln)
{
    cudaError_t st;
    k_flux<<<HYD_SAMPLES / 256, 256, 0, ln->stream>>>(ctx->samples, ln->work, ln->det->settle);
    if ((st = cudaGetLastError()) != cudaSuccess)
        return st;
    k_bins<<<1, HYD_BINS, 0, ln->stream>>>(ln->work, ln->bins, 0);
    return cudaGetLastError();
}

static float flux_expect(const float *x, int begin, int len)
{
    float s = 0.0f;
    for (int i = begin; i < begin + len; i++)
        s += i ? fabsf(x[i] - x[i - 1]) : 0.0f;
    return s;
}

static const hyd_detector detectors[HYD_LANES] = {
    {"energy", 30000000LL, energy_enqueue, energy_expect},
    {"flux", 10000000LL, flux_enqueue, flux_expect},
};

#define TRY(e)                          \
    do {                                \
        if ((st = (e)) != cudaSuccess)  \
            goto fail;                  \
    } while (0)

static void hyd_close(hyd_ctx *c)
{
    if (!c)
        return;
    if (c->exec)
        cudaGraphExecDestroy(c->exec);
    if (c->graph)
        cudaGraphDestroy(c->graph);
    for (int i = 0; i < HYD_LANES; i++) {
        if (c->lane[i].done)
            cudaEventDestroy(c->lane[i].done);
        if (c->lane[i].stream)
            cudaStreamDestroy(c->lane[i].stream);
    }
    if (c->fork)
        cudaEventDestroy(c->fork);
    if (c->root)
        cudaStreamDestroy(c->root);
    cudaFree(c->samples);
    cudaFree(c->arena);
    cudaFree(c->result);
    cudaFreeHost(c->host_samples);
    cudaFreeHost(c->host_result);
    free(c);
}

static cudaError_t hyd_record(hyd_ctx *c)
{
    cudaError_t st = cudaSuccess;
    TRY(cudaMemcpyAsync(c->samples, c->host_samples, HYD_SAMPLES * sizeof(float), cudaMemcpyHostToDevice, c->root));
    TRY(cudaEventRecord(c->fork, c->root));
    for (int i = 0; i < HYD_LANES; i++) {
        hyd_lane *ln = &c->lane[i];
        TRY(cudaStreamWaitEvent(ln->stream, c->fork, 0));
        TRY(ln->det->enqueue(c, ln));
        TRY(cudaEventRecord(ln->done, ln->stream));
    }
    for (int i = 0; i < HYD_LANES; i++)
        TRY(cudaStreamWaitEvent(c->root, c->lane[i].done, 0));
    TRY(cudaMemcpyAsync(c->host_result, c->result, HYD_LANES * HYD_BINS * sizeof(float), cudaMemcpyDeviceToHost, c->root));
fail:
    return st;
}

static cudaError_t hyd_open(hyd_ctx **out)
{
    cudaError_t st = cudaErrorMemoryAllocation, rec;
    hyd_ctx *c = (hyd_ctx *)calloc(1, sizeof *c);
    if (!c)
        return st;
    TRY(cudaMalloc((void **)&c->samples, HYD_SAMPLES * sizeof(float)));
    TRY(cudaMalloc((void **)&c->arena, HYD_LANES * HYD_SAMPLES * sizeof(float)));
    TRY(cudaMalloc((void **)&c->result, HYD_LANES * HYD_BINS * sizeof(float)));
    TRY(cudaMallocHost((void **)&c->host_samples, HYD_SAMPLES * sizeof(float)));
    TRY(cudaMallocHost((void **)&c->host_result, HYD_LANES * HYD_BINS * sizeof(float)));
    TRY(cudaStreamCreateWithFlags(&c->root, cudaStreamNonBlocking));
    TRY(cudaEventCreateWithFlags(&c->fork, cudaEventDisableTiming));
    for (int i = 0; i < HYD_LANES; i++) {
        hyd_lane *ln = &c->lane[i];
        ln->det = &detectors[i];
        ln->work = c->arena + i * HYD_SAMPLES;
        ln->bins = c->result + i * HYD_BINS;
        TRY(cudaStreamCreateWithFlags(&ln->stream, cudaStreamNonBlocking));
        TRY(cudaEventCreateWithFlags(&ln->done, cudaEventDisableTiming));
    }

    TRY(cudaStreamBeginCapture(c->root, cudaStreamCaptureModeThreadLocal));
    rec = hyd_record(c);
    st = cudaStreamEndCapture(c->root, &c->graph);
    if (rec != cudaSuccess)
        st = rec;
    if (st != cudaSuccess)
        goto fail;
    TRY(cudaGraphInstantiate(&c->exec, c->graph, 0));
    *out = c;
    return cudaSuccess;

fail:
    hyd_close(c);
    return st;
}

static cudaError_t hyd_frame(hyd_ctx *c, int ping)
{
    cudaError_t st;
    for (int i = 0; i < HYD_SAMPLES; i++)
        c->host_samples[i] = sinf(0.013f * (float)i * (float)(ping + 1)) * (1.0f + 0.5f * (float)ping);
    TRY(cudaGraphLaunch(c->exec, c->root));
    TRY(cudaStreamSynchronize(c->root));
fail:
    return st;
}

static int hyd_verify(const hyd_ctx *c)
{
    int wrong = 0;
    for (int i = 0; i < HYD_LANES; i++)
        for (int b = 0; b < HYD_BINS; b++) {
            float want = c->lane[i].det->expect(c->host_samples, b * HYD_WINDOW, HYD_WINDOW);
            float got = c->host_result[i * HYD_BINS + b];
            wrong += fabsf(got - want) > 1e-3f * (1.0f + fabsf(want));
        }
    return wrong;
}

int main(void)
{
    hyd_ctx *c = NULL;
    int wrong = 0, confirmed;
    cudaError_t st = hyd_open(&c);
    for (int ping = 0; st == cudaSuccess && ping < 5; ping++) {
        st = hyd_frame(c, ping);
        if (st == cudaSuccess)
            wrong += hyd_verify(c);
    }
    printf("status %s, %d bins wrong\n", cudaGetErrorName(st), wrong);
    confirmed = st == cudaSuccess && wrong == 0;
    hyd_close(c);
    puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
