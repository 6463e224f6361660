// beam_former: delay-free weighted beam sum over a phased array, written against the driver API.  Every burst has the
// same channels; the number of range gates depends on the pulse repetition setting chosen by the operator.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef enum bf_status { BF_OK = 0, BF_ERR_DRIVER, BF_ERR_ARG, BF_ERR_MEMORY } bf_status;

typedef struct bf_engine_s *bf_engine; /* opaque to callers */

static bf_status bf_report(CUresult r, const char *what, int line) {
    const char *name = NULL;
    cuGetErrorName(r, &name);
    fprintf(stderr, "beam_former:%d: %s -> %s\n", line, what, name ? name : "?");
    return BF_ERR_DRIVER;
}

#define BF_DRV(call)                                                         \
    do {                                                                     \
        CUresult r_ = (call);                                                \
        if (r_ != CUDA_SUCCESS) return bf_report(r_, #call, __LINE__);       \
    } while (0)

enum { BF_CHANNELS = 16, BF_MAX_GATES = 8192 };

/* in: [channel][gate] packed with pitch `gates`; out: [gate] */
__global__ void bf_sum(const float *in, const float *weight, float *out, int gates) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= gates) return;
    float acc = 0.f;
    for (int c = 0; c < BF_CHANNELS; ++c) acc += weight[c] * in[c * gates + g];
    out[g] = acc;
}

struct bf_engine_s {
    CUstream stream;
    CUfunction sum;
    CUdeviceptr d_in, d_weight, d_out;
    float *h_in, *h_out;
    CUgraphExec exec;
    int recorded_gates;
};

bf_status bf_open(bf_engine *out, const float *weights) {
    bf_engine e = (bf_engine)calloc(1, sizeof *e);
    if (!e) return BF_ERR_MEMORY;
    *out = e;
    cudaFunction_t fn = NULL;
    if (cudaGetFuncBySymbol(&fn, (const void *)bf_sum) != cudaSuccess) return BF_ERR_DRIVER;
    e->sum = (CUfunction)fn;
    BF_DRV(cuStreamCreate(&e->stream, CU_STREAM_NON_BLOCKING));
    BF_DRV(cuMemAlloc(&e->d_in, sizeof(float) * BF_CHANNELS * BF_MAX_GATES));
    BF_DRV(cuMemAlloc(&e->d_out, sizeof(float) * BF_MAX_GATES));
    BF_DRV(cuMemAlloc(&e->d_weight, sizeof(float) * BF_CHANNELS));
    BF_DRV(cuMemAllocHost((void **)&e->h_in, sizeof(float) * BF_CHANNELS * BF_MAX_GATES));
    BF_DRV(cuMemAllocHost((void **)&e->h_out, sizeof(float) * BF_MAX_GATES));
    memset(e->h_out, 0, sizeof(float) * BF_MAX_GATES);
    BF_DRV(cuMemcpyHtoDAsync(e->d_weight, weights, sizeof(float) * BF_CHANNELS, e->stream));
    BF_DRV(cuMemsetD32Async(e->d_out, 0, BF_MAX_GATES, e->stream));
    BF_DRV(cuStreamSynchronize(e->stream));
    return BF_OK;
}

/* Enqueues one burst on the engine's stream; called only while the stream captures. */
static bf_status bf_enqueue(bf_engine e, int gates) {
    void *args[] = {&e->d_in, &e->d_weight, &e->d_out, &gates};
    unsigned grid = (unsigned)(gates + 127) / 128;
    BF_DRV(cuMemcpyHtoDAsync(e->d_in, e->h_in, sizeof(float) * BF_CHANNELS * gates, e->stream));  // HAZARD dynamic_shape #gates
    BF_DRV(cuLaunchKernel(e->sum, grid, 1, 1, 128, 1, 1, 0, e->stream, args, NULL));  // HAZARD dynamic_shape #gates
    BF_DRV(cuMemcpyDtoHAsync(e->h_out, e->d_out, sizeof(float) * gates, e->stream));  // HAZARD dynamic_shape #gates
    return BF_OK;
}

static bf_status bf_record(bf_engine e, int gates) {
    CUgraph graph = NULL;
    BF_DRV(cuStreamBeginCapture(e->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    bf_status body = bf_enqueue(e, gates);
    CUresult end = cuStreamEndCapture(e->stream, &graph);
    if (body != BF_OK || end != CUDA_SUCCESS) {
        if (graph) cuGraphDestroy(graph);
        return end != CUDA_SUCCESS ? bf_report(end, "cuStreamEndCapture", __LINE__) : body;
    }
    CUresult made = cuGraphInstantiate(&e->exec, graph, 0);
    cuGraphDestroy(graph);
    if (made != CUDA_SUCCESS) return bf_report(made, "cuGraphInstantiate", __LINE__);
    e->recorded_gates = gates;
    return BF_OK;
}

/* samples: [channel][gate]; beam: [gate] */
bf_status bf_process(bf_engine e, const float *samples, int gates, float *beam) {
    if (!e || gates <= 0 || gates > BF_MAX_GATES) return BF_ERR_ARG;
    if (e->exec == NULL) {
        bf_status st = bf_record(e, gates);
        if (st != BF_OK) return st;
    }
    memcpy(e->h_in, samples, sizeof(float) * BF_CHANNELS * gates);
    BF_DRV(cuGraphLaunch(e->exec, e->stream));
    BF_DRV(cuStreamSynchronize(e->stream));
    memcpy(beam, e->h_out, sizeof(float) * gates);
    return BF_OK;
}

void bf_close(bf_engine e) {
    if (!e) return;
    if (e->exec) cuGraphExecDestroy(e->exec);
    if (e->d_in) cuMemFree(e->d_in);
    if (e->d_out) cuMemFree(e->d_out);
    if (e->d_weight) cuMemFree(e->d_weight);
    if (e->h_in) cuMemFreeHost(e->h_in);
    if (e->h_out) cuMemFreeHost(e->h_out);
    if (e->stream) cuStreamDestroy(e->stream);
    free(e);
}

int main(void) {
    CUdevice dev;
    CUcontext ctx;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&dev, 0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&ctx, dev) != CUDA_SUCCESS || cuCtxSetCurrent(ctx) != CUDA_SUCCESS) {
        puts("LABEL UNOBSERVED");
        return 1;
    }
    static float weights[BF_CHANNELS], samples[BF_CHANNELS * BF_MAX_GATES], beam[BF_MAX_GATES];
    for (int c = 0; c < BF_CHANNELS; ++c) weights[c] = 1.f / (float)(c + 1);

    bf_engine eng = NULL;
    bf_status st = bf_open(&eng, weights);
    const int bursts[] = {1024, 1024, 4096, 512, 8192};
    int wrong = 0;
    for (int b = 0; b < 5 && st == BF_OK; ++b) {
        const int gates = bursts[b];
        for (int i = 0; i < BF_CHANNELS * gates; ++i) samples[i] = (float)((i * 7 + b * 13) % 101) + 1.f;
        st = bf_process(eng, samples, gates, beam);
        for (int g = 0; g < gates && st == BF_OK; ++g) {
            float want = 0.f;
            for (int c = 0; c < BF_CHANNELS; ++c) want += weights[c] * samples[c * gates + g];
            if (fabsf(want - beam[g]) > 1e-3f * want) ++wrong;
        }
    }
    bf_close(eng);
    cuDevicePrimaryCtxRelease(dev);
    printf("status %d, wrong gates %d\n", (int)st, wrong);
    puts(st == BF_OK && wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
