/*
 * Cloth inspection behind a loom.
 *
 * A camera line delivers the thickness of every pick. The inspection finds picks which are out of tolerance, measures
 * each of them, and keeps a histogram of the deviations of the current bolt. The stages of the inspection are a table
 * of functions; the line replays them as one CUDA graph for each bolt.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICKS 8192
#define NBINS 8
#define MAX_FLAGS 256
#define NOMINAL 1.0f

struct tally {
    int flagged;  /* picks out of tolerance */
    int measured; /* picks that were measured */
};

__global__ void find_picks(const float *thickness, float tolerance, int *flags, struct tally *t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PICKS && fabsf(thickness[i] - NOMINAL) > tolerance) {
        int slot = atomicAdd(&t->flagged, 1);
        if (slot < MAX_FLAGS)
            flags[slot] = i;
    }
}

/* One block for each flagged pick: mean deviation of the neighbourhood. */
__global__ void measure_picks(const float *thickness, const int *flags, struct tally *t, int *bins)
{
    int centre = flags[blockIdx.x];
    int i = min(max(centre + (int)threadIdx.x - 16, 0), PICKS - 1);
    float sum = fabsf(thickness[i] - NOMINAL);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) {
        atomicAdd(&t->measured, 1);
        atomicAdd(&bins[min((int)(sum * 2.f), NBINS - 1)], 1);
    }
}

__global__ void clear_bins(int *bins)
{
    if (threadIdx.x < NBINS)
        bins[threadIdx.x] = 0;
}

struct line {
    float tolerance;
    cudaStream_t stream;
    float *thickness_h; /* pinned */
    float *thickness_d;
    int *flags_d;
    int *bins_d;
    struct tally *tally_d;
    int flags_per_bolt; /* from the reference bolt */
    cudaGraphExec_t exec;
};

typedef cudaError_t (*stage_fn)(struct line *l);

struct stage {
    const char *name;
    stage_fn enqueue;
};

static cudaError_t stage_upload(struct line *l)
{
    return cudaMemcpyAsync(l->thickness_d, l->thickness_h, PICKS * sizeof(float), cudaMemcpyHostToDevice, l->stream);
}

static cudaError_t stage_clear(struct line *l)
{
    clear_bins<<<1, 32>>>(l->bins_d);  // HAZARD default_stream
    return cudaMemsetAsync(l->tally_d, 0, sizeof *l->tally_d, l->stream);
}

static cudaError_t stage_find(struct line *l)
{
    find_picks<<<PICKS / 256, 256, 0, l->stream>>>(l->thickness_d, l->tolerance, l->flags_d, l->tally_d);
    return cudaGetLastError();
}

static cudaError_t stage_measure(struct line *l)
{
    measure_picks<<<l->flags_per_bolt, 32, 0, l->stream>>>(l->thickness_d, l->flags_d, l->tally_d, l->bins_d);  // HAZARD dynamic_shape
    return cudaGetLastError();
}

static const struct stage inspection[] = {
    {"upload", stage_upload},
    {"clear", stage_clear},
    {"find", stage_find},
    {"measure", stage_measure},
};

static cudaError_t run_stages(struct line *l, const struct stage *stages, int n)
{
    for (int s = 0; s < n; ++s) {
        cudaError_t rc = stages[s].enqueue(l);
        if (rc != cudaSuccess) {
            fprintf(stderr, "stage %s: %s\n", stages[s].name, cudaGetErrorName(rc));
            return rc;
        }
    }
    return cudaSuccess;
}

/* Records what the callback enqueues on the stream. */
static cudaError_t build_graph(cudaStream_t stream, cudaError_t (*enqueue)(void *), void *arg, cudaGraphExec_t *exec)
{
    cudaGraph_t graph = NULL;
    cudaError_t rc, ended;

    rc = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess)
        return rc;
    rc = enqueue(arg);
    ended = cudaStreamEndCapture(stream, &graph);
    if (rc == cudaSuccess)
        rc = ended;
    if (rc == cudaSuccess)
        rc = cudaGraphInstantiate(exec, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

static cudaError_t enqueue_inspection(void *arg)
{
    return run_stages((struct line *)arg, inspection, sizeof inspection / sizeof inspection[0]);
}

/* Looks at the bolt in the camera buffer and prints what the loom delivers at the moment. */
static cudaError_t probe_bolt(struct line *l)
{
    struct tally seen = {0, 0};
    cudaError_t rc;

    rc = cudaMemcpy(l->thickness_d, l->thickness_h, PICKS * sizeof(float), cudaMemcpyHostToDevice);
    if (rc != cudaSuccess)
        return rc;
    cudaMemset(l->tally_d, 0, sizeof *l->tally_d);
    find_picks<<<PICKS / 256, 256>>>(l->thickness_d, l->tolerance, l->flags_d, l->tally_d);
    rc = cudaMemcpy(&seen, l->tally_d, sizeof seen, cudaMemcpyDeviceToHost);
    if (rc != cudaSuccess)
        return rc;
    printf("reference bolt: %d picks out of tolerance\n", seen.flagged);
    l->flags_per_bolt = seen.flagged;
    return cudaDeviceSynchronize();
}

static void line_close(struct line *l)
{
    if (l->exec)
        cudaGraphExecDestroy(l->exec);
    if (l->thickness_h)
        cudaFreeHost(l->thickness_h);
    cudaFree(l->thickness_d);
    cudaFree(l->flags_d);
    cudaFree(l->bins_d);
    cudaFree(l->tally_d);
    if (l->stream)
        cudaStreamDestroy(l->stream);
    memset(l, 0, sizeof *l);
}

/* A bolt with n weak picks, far from each other. */
static void weave(float *thickness, int n)
{
    for (int i = 0; i < PICKS; ++i)
        thickness[i] = NOMINAL;
    for (int k = 0; k < n; ++k)
        thickness[100 + k * 97] = NOMINAL + 0.4f + 0.1f * (k % 5);
}

static cudaError_t line_open(struct line *l, float tolerance)
{
    cudaError_t rc;

    memset(l, 0, sizeof *l);
    l->tolerance = tolerance;
    if ((rc = cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking)) != cudaSuccess)
        goto fail;
    if ((rc = cudaMallocHost((void **)&l->thickness_h, PICKS * sizeof(float))) != cudaSuccess)
        goto fail;
    if ((rc = cudaMalloc((void **)&l->thickness_d, PICKS * sizeof(float))) != cudaSuccess)
        goto fail;
    if ((rc = cudaMalloc((void **)&l->flags_d, MAX_FLAGS * sizeof(int))) != cudaSuccess)
        goto fail;
    if ((rc = cudaMalloc((void **)&l->bins_d, NBINS * sizeof(int))) != cudaSuccess)
        goto fail;
    if ((rc = cudaMalloc((void **)&l->tally_d, sizeof *l->tally_d)) != cudaSuccess)
        goto fail;
    clear_bins<<<1, 32>>>(l->bins_d);
    weave(l->thickness_h, 5);
    if ((rc = probe_bolt(l)) != cudaSuccess)
        goto fail;
    if ((rc = build_graph(l->stream, enqueue_inspection, l, &l->exec)) != cudaSuccess)
        goto fail;
    return cudaDeviceSynchronize();

fail:
    fprintf(stderr, "line: %s\n", cudaGetErrorString(rc));
    line_close(l);
    return rc;
}

static cudaError_t inspect_bolt(struct line *l, struct tally *t, int *binned)
{
    int bins[NBINS];
    cudaError_t rc;

    if ((rc = cudaGraphLaunch(l->exec, l->stream)) != cudaSuccess ||
        (rc = cudaStreamSynchronize(l->stream)) != cudaSuccess ||
        (rc = cudaMemcpy(t, l->tally_d, sizeof *t, cudaMemcpyDeviceToHost)) != cudaSuccess ||
        (rc = cudaMemcpy(bins, l->bins_d, sizeof bins, cudaMemcpyDeviceToHost)) != cudaSuccess)
        return rc;
    *binned = 0;
    for (int b = 0; b < NBINS; ++b)
        *binned += bins[b];
    printf("bolt: flagged %d, measured %d, in histogram %d\n", t->flagged, t->measured, *binned);
    return cudaSuccess;
}

int main(void)
{
    static const int bolts[] = {5, 5, 11, 40};
    struct line line;
    struct tally t;
    int short_count = 0, histogram_off = 0, failed = 0, binned;

    if (line_open(&line, 0.3f) != cudaSuccess) {
        printf("LABEL WRONG\n");
        return 1;
    }
    for (int b = 0; b < 4; ++b) {
        weave(line.thickness_h, bolts[b]);
        if (inspect_bolt(&line, &t, &binned) != cudaSuccess || t.flagged != bolts[b]) {
            ++failed;
            continue;
        }
        short_count += t.measured < t.flagged;
        histogram_off += binned != t.measured;
    }
    line_close(&line);
    printf("%s\n", !failed && short_count == 2 && histogram_off == 3 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
