/* Sonar ping processing: window, decimate, envelope, detect. Each stage is an entry
 * in a table; the ping chain is captured once and replayed for every ping. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SONAR_SAMPLES 4096
#define SONAR_EUNSUPPORTED (-2)
#define SONAR_ECUDA (-1)

#define TRY(call)                                                     \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            ctx->last_error = e_;                                     \
            rc = SONAR_ECUDA;                                         \
            goto out;                                                 \
        }                                                             \
    } while (0)

struct sonar_config {
    int decimation;
    float threshold;
};

struct sonar_ctx {
    struct sonar_config cfg;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    float *host_ping;
    int *host_hits;
    float *raw, *windowed, *decimated;
    int *hits;
    int dirty;
    cudaError_t last_error;
};

struct sonar_stage {
    const char *name;
    int (*record)(struct sonar_ctx *ctx);
};

__global__ void k_window(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * 0.5f;
}

__global__ void k_decimate(const float *in, float *out, int n, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / factor) {
        float acc = 0.f;
        for (int k = 0; k < factor; k++)
            acc += in[i * factor + k];
        out[i] = acc / factor;
    }
}

__global__ void k_detect(const float *in, int *hits, int n, float threshold)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && fabsf(in[i]) > threshold)
        atomicAdd(hits, 1);
}

static int launch_status(struct sonar_ctx *ctx)
{
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        return 0;
    ctx->last_error = e;
    return SONAR_ECUDA;
}

static int record_input(struct sonar_ctx *ctx)
{
    int rc = 0;
    TRY(cudaMemcpyAsync(ctx->raw, ctx->host_ping, SONAR_SAMPLES * sizeof(float), cudaMemcpyHostToDevice, ctx->stream));
    TRY(cudaMemsetAsync(ctx->hits, 0, sizeof(int), ctx->stream));
out:
    return rc;
}

static int record_window(struct sonar_ctx *ctx)
{
    k_window<<<SONAR_SAMPLES / 256, 256, 0, ctx->stream>>>(ctx->raw, ctx->windowed, SONAR_SAMPLES);
    return launch_status(ctx);
}

static int record_decimate(struct sonar_ctx *ctx)
{
    int f = ctx->cfg.decimation;
    if (f <= 0 || SONAR_SAMPLES % f != 0)
        return SONAR_EUNSUPPORTED;
    k_decimate<<<SONAR_SAMPLES / 256, 256, 0, ctx->stream>>>(ctx->windowed, ctx->decimated, SONAR_SAMPLES, f);
    return launch_status(ctx);
}

static int record_detect(struct sonar_ctx *ctx)
{
    int n = SONAR_SAMPLES / ctx->cfg.decimation;
    k_detect<<<(n + 255) / 256, 256, 0, ctx->stream>>>(ctx->decimated, ctx->hits, n, ctx->cfg.threshold); // HAZARD frozen #t
    return launch_status(ctx);
}

static int record_output(struct sonar_ctx *ctx)
{
    int rc = 0;
    TRY(cudaMemcpyAsync(ctx->host_hits, ctx->hits, sizeof(int), cudaMemcpyDeviceToHost, ctx->stream));
out:
    return rc;
}

static const struct sonar_stage chain[] = {
    {"input", record_input},   {"window", record_window}, {"decimate", record_decimate},
    {"detect", record_detect}, {"output", record_output},
};

static int sonar_build(struct sonar_ctx *ctx)
{
    int rc = 0;
    size_t i;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;

    TRY(cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeThreadLocal));
    for (i = 0; i < sizeof chain / sizeof chain[0]; i++) {
        rc = chain[i].record(ctx);
        if (rc != 0) {
            fprintf(stderr, "stage %s: %d\n", chain[i].name, rc);
            goto out; // HAZARD scope
        }
    }
    TRY(cudaStreamEndCapture(ctx->stream, &graph));
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    if (ctx->exec)
        cudaGraphExecDestroy(ctx->exec);
    ctx->exec = exec;
    ctx->dirty = 0;
out:
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

static int sonar_ping(struct sonar_ctx *ctx, const float *samples, int *hits)
{
    int rc = 0;
    memcpy(ctx->host_ping, samples, SONAR_SAMPLES * sizeof(float));
    if (ctx->exec == NULL || ctx->dirty) {
        rc = sonar_build(ctx);
        if (rc != 0)
            return rc;
    }
    TRY(cudaGraphLaunch(ctx->exec, ctx->stream));
    TRY(cudaStreamSynchronize(ctx->stream));
    *hits = *ctx->host_hits;
out:
    return rc;
}

static void sonar_set_decimation(struct sonar_ctx *ctx, int decimation)
{
    ctx->cfg.decimation = decimation;
    ctx->dirty = 1;
}

static void sonar_set_threshold(struct sonar_ctx *ctx, float threshold)
{
    ctx->cfg.threshold = threshold; // HAZARD frozen #t
}

static int sonar_open(struct sonar_ctx *ctx, struct sonar_config cfg)
{
    int rc = 0;
    memset(ctx, 0, sizeof *ctx);
    ctx->cfg = cfg;
    TRY(cudaStreamCreateWithFlags(&ctx->stream, cudaStreamNonBlocking));
    TRY(cudaMallocHost((void **)&ctx->host_ping, SONAR_SAMPLES * sizeof(float)));
    TRY(cudaMallocHost((void **)&ctx->host_hits, sizeof(int)));
    TRY(cudaMalloc((void **)&ctx->raw, SONAR_SAMPLES * sizeof(float)));
    TRY(cudaMalloc((void **)&ctx->windowed, SONAR_SAMPLES * sizeof(float)));
    TRY(cudaMalloc((void **)&ctx->decimated, SONAR_SAMPLES * sizeof(float)));
    TRY(cudaMalloc((void **)&ctx->hits, sizeof(int)));
out:
    return rc;
}

static void sonar_close(struct sonar_ctx *ctx)
{
    if (ctx->exec)
        cudaGraphExecDestroy(ctx->exec);
    cudaFree(ctx->raw);
    cudaFree(ctx->windowed);
    cudaFree(ctx->decimated);
    cudaFree(ctx->hits);
    cudaFreeHost(ctx->host_ping);
    cudaFreeHost(ctx->host_hits);
    cudaStreamDestroy(ctx->stream);
}

static int expected_hits(const float *s, int factor, float threshold)
{
    int hits = 0;
    for (int i = 0; i < SONAR_SAMPLES / factor; i++) {
        float acc = 0.f;
        for (int k = 0; k < factor; k++)
            acc += s[i * factor + k] * 0.5f;
        hits += fabsf(acc / factor) > threshold;
    }
    return hits;
}

int main(void)
{
    static float ping[SONAR_SAMPLES];
    struct sonar_ctx ctx;
    struct sonar_config cfg = {4, 1.25f};
    int hits = 0, plain = 1, tuned, recovered, rc, p, i;

    if (sonar_open(&ctx, cfg) != 0) {
        puts("LABEL WRONG");
        return 0;
    }
    for (p = 0; p < 3; p++) {
        for (i = 0; i < SONAR_SAMPLES; i++)
            ping[i] = (float)((i / 8 + p * 5) % 16) + 0.1f;
        plain &= sonar_ping(&ctx, ping, &hits) == 0 && hits == expected_hits(ping, 4, 1.25f);
    }

    sonar_set_threshold(&ctx, 6.3f);
    tuned = sonar_ping(&ctx, ping, &hits) == 0 && hits == expected_hits(ping, 4, 6.3f);

    sonar_set_decimation(&ctx, 5);
    rc = sonar_ping(&ctx, ping, &hits);
    plain &= rc == SONAR_EUNSUPPORTED;
    sonar_set_decimation(&ctx, 8);
    rc = sonar_ping(&ctx, ping, &hits);
    recovered = rc == 0 && hits == expected_hits(ping, 8, 6.3f);

    printf("plain=%d tuned=%d recovered=%d last_error=%s\n", plain, tuned, recovered, cudaGetErrorName(ctx.last_error));
    puts(plain && !tuned && rc == SONAR_ECUDA && ctx.last_error != cudaSuccess ? "LABEL CONFIRMED" : "LABEL WRONG");
    sonar_close(&ctx);
    return 0;
}
