/*
 * Tide prediction for a network of gauges.
 *
 * A gauge predicts the water level of a window of times from its tidal constituents. Open-sea and estuary gauges
 * differ in how a prediction is recorded, therefore each gauge has a table of operations. The recorded work of a
 * gauge is a CUDA graph; a window is predicted by a replay with a new start time.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NCONST 6
#define WINDOW 1024
#define SCRATCH_BLOCKS 4
#define SCRATCH_BYTES 1024

struct constituent {
    float speed;     /* radians per hour */
    float amplitude; /* metres */
    float phase;
};

struct window {
    float start; /* hours since the epoch of the gauge */
    float step;
};

struct damping {
    float factor;
    float offset;
};

__global__ void predict_levels(const constituent *c, const window *w, float *level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= WINDOW)
        return;
    float t = w->start + i * w->step, sum = 0.f;
    for (int k = 0; k < NCONST; ++k)
        sum += c[k].amplitude * cosf(c[k].speed * t - c[k].phase);
    level[i] = sum;
}

__global__ void damp_levels(float *level, damping d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < WINDOW)
        level[i] = level[i] * d.factor + d.offset;
}

/* ---- pinned scratch blocks for uploads ---- */

struct scratch_pool {
    unsigned char *base;
    int free_list[SCRATCH_BLOCKS];
    int nfree;
};

static struct scratch_pool scratch;

static int scratch_init(void)
{
    if (cudaMallocHost((void **)&scratch.base, SCRATCH_BLOCKS * SCRATCH_BYTES) != cudaSuccess)
        return -1;
    for (int i = 0; i < SCRATCH_BLOCKS; ++i)
        scratch.free_list[scratch.nfree++] = i;
    return 0;
}

static void *scratch_take(void)
{
    return scratch.nfree ? scratch.base + scratch.free_list[--scratch.nfree] * SCRATCH_BYTES : NULL;
}

static void scratch_put(void *block)
{
    if (block)
        scratch.free_list[scratch.nfree++] = (int)(((unsigned char *)block - scratch.base) / SCRATCH_BYTES);
}

/* ---- gauges ---- */

struct gauge;

struct gauge_ops {
    const char *kind;
    cudaError_t (*record)(struct gauge *g);
    cudaError_t (*trace)(struct gauge *g, const char *stage);
};

struct gauge {
    const char *name;
    const struct gauge_ops *ops;
    struct constituent table[NCONST];
    int verbose;
    cudaStream_t stream;
    struct constituent *table_d;
    struct window *window_d;
    struct window *window_h; /* pinned */
    float *level_d;
    struct constituent *staged; /* scratch block, held while the gauge is open */
    cudaGraphExec_t exec;
};

static cudaError_t trace_stage(struct gauge *g, const char *stage)
{
    cudaError_t rc;
    cudaStreamCaptureStatus capturing;

    if (!g->verbose)
        return cudaSuccess;
    rc = cudaStreamIsCapturing(g->stream, &capturing);
    if (rc == cudaSuccess && capturing == cudaStreamCaptureStatusNone)
        rc = cudaStreamSynchronize(g->stream); /* stages up to here are complete */
    fprintf(stderr, "%s: %s %s\n", g->name, stage, cudaGetErrorName(rc));
    return rc;
}

static cudaError_t trace_nothing(struct gauge *g, const char *stage)
{
    (void)g;
    (void)stage;
    return cudaSuccess;
}

static cudaError_t record_open_sea(struct gauge *g)
{
    cudaError_t rc;
    struct constituent *staged = g->staged;

    if (!staged)
        return cudaErrorMemoryAllocation;
    memcpy(staged, g->table, sizeof g->table);
    rc = cudaMemcpyAsync(g->table_d, staged, sizeof g->table, cudaMemcpyHostToDevice, g->stream);
    if (rc != cudaSuccess)
        goto out;
    rc = cudaMemcpyAsync(g->window_d, g->window_h, sizeof *g->window_h, cudaMemcpyHostToDevice, g->stream);
    if (rc != cudaSuccess)
        goto out;
    rc = g->ops->trace(g, "upload");
    if (rc != cudaSuccess)
        goto out;
    predict_levels<<<WINDOW / 128, 128, 0, g->stream>>>(g->table_d, g->window_d, g->level_d);
    rc = cudaGetLastError();
out:
    return rc;
}

static cudaError_t record_estuary(struct gauge *g)
{
    struct damping d;
    cudaError_t rc = record_open_sea(g);

    if (rc != cudaSuccess)
        return rc;
    d.factor = 0.8f; /* shallow water, same for all estuaries */
    d.offset = 0.1f;
    damp_levels<<<WINDOW / 128, 128, 0, g->stream>>>(g->level_d, d);
    rc = cudaGetLastError();
    return rc == cudaSuccess ? g->ops->trace(g, "damping") : rc;
}

static const struct gauge_ops open_sea_ops = {"open sea", record_open_sea, trace_nothing};
static const struct gauge_ops estuary_ops = {"estuary", record_estuary, trace_stage};

static void gauge_close(struct gauge *g)
{
    if (g->exec)
        cudaGraphExecDestroy(g->exec);
    cudaFree(g->table_d);
    cudaFree(g->window_d);
    cudaFree(g->level_d);
    if (g->window_h)
        cudaFreeHost(g->window_h);
    if (g->stream)
        cudaStreamDestroy(g->stream);
    scratch_put(g->staged);
    memset(g, 0, sizeof *g);
}

static cudaError_t gauge_open(struct gauge *g, const char *name, const struct gauge_ops *ops, float range, int verbose)
{
    cudaError_t rc, ended;
    cudaGraph_t graph = NULL;
    int capturing = 0;

    memset(g, 0, sizeof *g);
    g->name = name;
    g->ops = ops;
    g->verbose = verbose;
    for (int k = 0; k < NCONST; ++k) {
        g->table[k].speed = 0.25f + 0.04f * k;
        g->table[k].amplitude = range / (1 + k);
        g->table[k].phase = 0.3f * k;
    }
    g->staged = (struct constituent *)scratch_take();
    if ((rc = cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking)) != cudaSuccess ||
        (rc = cudaMalloc((void **)&g->table_d, sizeof g->table)) != cudaSuccess ||
        (rc = cudaMalloc((void **)&g->window_d, sizeof *g->window_d)) != cudaSuccess ||
        (rc = cudaMalloc((void **)&g->level_d, WINDOW * sizeof(float))) != cudaSuccess ||
        (rc = cudaMallocHost((void **)&g->window_h, sizeof *g->window_h)) != cudaSuccess)
        goto cleanup;
    if ((rc = cudaStreamBeginCapture(g->stream, cudaStreamCaptureModeThreadLocal)) != cudaSuccess)
        goto cleanup;
    capturing = 1;
    rc = g->ops->record(g);

cleanup:
    if (capturing) {
        ended = cudaStreamEndCapture(g->stream, &graph);
        if (rc == cudaSuccess)
            rc = ended;
    }
    if (rc == cudaSuccess)
        rc = cudaGraphInstantiate(&g->exec, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    if (rc != cudaSuccess) {
        fprintf(stderr, "%s (%s): %s\n", name, ops->kind, cudaGetErrorName(rc));
        cudaGetLastError();
        gauge_close(g);
    }
    return rc;
}

static cudaError_t gauge_predict(struct gauge *g, float start, float *level)
{
    cudaError_t rc;

    g->window_h->start = start;
    g->window_h->step = 0.1f;
    if ((rc = cudaGraphLaunch(g->exec, g->stream)) != cudaSuccess)
        return rc;
    if ((rc = g->ops->trace(g, "prediction")) != cudaSuccess)
        return rc;
    if ((rc = cudaStreamSynchronize(g->stream)) != cudaSuccess)
        return rc;
    return cudaMemcpy(level, g->level_d, WINDOW * sizeof(float), cudaMemcpyDeviceToHost);
}

/* Predicts one window and counts the levels which are more than a centimetre off. */
static int survey(struct gauge *g, float start, float factor, float offset)
{
    static float level[WINDOW];
    int off = 0;

    if (gauge_predict(g, start, level) != cudaSuccess)
        return WINDOW;
    for (int i = 0; i < WINDOW; ++i) {
        float t = start + i * 0.1f, sum = 0.f;
        for (int k = 0; k < NCONST; ++k)
            sum += g->table[k].amplitude * cosf(g->table[k].speed * t - g->table[k].phase);
        off += fabsf(level[i] - (sum * factor + offset)) > 0.01f;
    }
    printf("%-10s from %5.1f h: %d levels off\n", g->name, start, off);
    return off;
}

int main(void)
{
    struct gauge skerry, sound, firth;
    int first, again, other, confirmed;
    cudaError_t rc;

    if (scratch_init() || gauge_open(&skerry, "skerry", &open_sea_ops, 2.0f, 0) != cudaSuccess) {
        printf("LABEL WRONG\n");
        return 1;
    }
    first = survey(&skerry, 0.f, 1.f, 0.f) + survey(&skerry, 48.f, 1.f, 0.f);
    if (gauge_open(&sound, "sound", &estuary_ops, 0.7f, 0) != cudaSuccess) {
        printf("LABEL WRONG\n");
        return 1;
    }
    again = survey(&skerry, 96.f, 1.f, 0.f);
    other = survey(&sound, 96.f, 0.8f, 0.1f);

    rc = gauge_open(&firth, "firth", &estuary_ops, 1.1f, 1);
    if (rc == cudaSuccess) {
        other += survey(&firth, 12.f, 0.8f, 0.1f);
        gauge_close(&firth);
    }
    confirmed = first == 0 && other == 0 && again == 0 && rc == cudaSuccess;
    gauge_close(&sound);
    gauge_close(&skerry);
    cudaFreeHost(scratch.base);
    printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
