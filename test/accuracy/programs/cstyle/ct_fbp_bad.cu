/* Fan-beam back projection: one projection set in, one slice out, a fixed exec in between. */
#include <cuda_runtime.h>

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ct_try(expr, label)                                                             \
    do {                                                                                \
        cudaError_t __e = (expr);                                                       \
        if (__e != cudaSuccess) {                                                       \
            fprintf(stderr, "ct: %s:%d: %s\n", __func__, __LINE__, cudaGetErrorName(__e)); \
            rc = -EIO;                                                                  \
            goto label;                                                                 \
        }                                                                               \
    } while (0)

/* bump allocator over one pinned block */
struct arena {
    uint8_t *base;
    size_t size, used;
};

static int arena_init(struct arena *a, size_t size)
{
    memset(a, 0, sizeof(*a));
    if (cudaMallocHost(&a->base, size) != cudaSuccess)
        return -ENOMEM;
    a->size = size;
    return 0;
}

static void *arena_get(struct arena *a, size_t n)
{
    void *p;
    n = (n + 63) & ~(size_t)63;
    if (a->size - a->used < n)
        return NULL;
    p = a->base + a->used;
    a->used += n;
    return p;
}

static void arena_reset(struct arena *a) { a->used = 0; }
static void arena_fini(struct arena *a) { cudaFreeHost(a->base); }

struct view_angle {
    float c, s;
};

struct ct_geometry_ops {
    void (*fill)(struct view_angle *tab, int n);
};

struct ct_recon {
    const struct ct_geometry_ops *geo;
    int n_views, n_bins, dim;
    float *d_proj, *d_slice;
    struct view_angle *views, *d_views;
    struct arena scratch;    /* per slice */
    struct arena persist;    /* until ct_close() */
    cudaStream_t stream;
    cudaGraphExec_t exec;
};

static __global__ void backproject(const float *proj, const view_angle *v, int n_views, int n_bins, float *slice, int dim)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float acc = 0.0f;

    if (x >= dim)
        return;
    for (int k = 0; k < n_views; k++) {
        float t = (x - 0.5f * dim) * v[k].c + (y - 0.5f * dim) * v[k].s + 0.5f * n_bins;
        if (t >= 0.0f && t < (float)n_bins)
            acc += proj[k * n_bins + (int)t];
    }
    slice[y * dim + x] = acc / n_views;
}

static void fill_half_scan(struct view_angle *tab, int n)
{
    for (int k = 0; k < n; k++) {
        tab[k].c = cosf((float)M_PI * k / n);
        tab[k].s = sinf((float)M_PI * k / n);
    }
}

static const struct ct_geometry_ops half_scan = {fill_half_scan};

static int prepare_views(struct ct_recon *r)
{
    r->views = (struct view_angle *)arena_get(&r->scratch, r->n_views * sizeof(*r->views)); // HAZARD dangling #1
    if (!r->views)
        return -ENOMEM;
    r->geo->fill(r->views, r->n_views);
    return 0;
}

static int emit_views(struct ct_recon *r)
{
    size_t size = r->n_views * sizeof(*r->views);
    int rc = 0;

    ct_try(cudaMemcpyAsync(r->d_views, r->views, size, cudaMemcpyHostToDevice, r->stream), out); // HAZARD dangling #1
out:
    return rc;
}

static int emit_backproject(struct ct_recon *r)
{
    int rc = 0;
    backproject<<<dim3((r->dim + 31) / 32, r->dim), 32, 0, r->stream>>>(r->d_proj, r->d_views, r->n_views, r->n_bins, r->d_slice, r->dim);
    ct_try(cudaGetLastError(), out);
out:
    return rc;
}

static const struct ct_pass {
    int (*prepare)(struct ct_recon *);
    int (*emit)(struct ct_recon *);
} ct_passes[] = {{prepare_views, emit_views}, {NULL, emit_backproject}};

#define CT_PASSES (sizeof(ct_passes) / sizeof(ct_passes[0]))

static int ct_build(struct ct_recon *r)
{
    cudaGraph_t graph = NULL;
    cudaError_t end;
    int rc = 0;

    for (size_t i = 0; i < CT_PASSES; i++)
        if (ct_passes[i].prepare && (rc = ct_passes[i].prepare(r)))
            return rc;
    ct_try(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal), out);
    for (size_t i = 0; rc == 0 && i < CT_PASSES; i++)
        rc = ct_passes[i].emit(r);
    end = cudaStreamEndCapture(r->stream, &graph);
    if (rc)
        goto out;
    ct_try(end, out);
    ct_try(cudaGraphInstantiate(&r->exec, graph, 0), out);
out:
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

static void ct_close(struct ct_recon *r)
{
    if (r->exec)
        cudaGraphExecDestroy(r->exec);
    cudaFree(r->d_proj);
    cudaFree(r->d_slice);
    cudaFree(r->d_views);
    arena_fini(&r->scratch);
    arena_fini(&r->persist);
}

static int ct_open(struct ct_recon *r, const struct ct_geometry_ops *geo, int n_views, int n_bins, int dim)
{
    int rc = 0;

    memset(r, 0, sizeof(*r));
    r->geo = geo;
    r->n_views = n_views, r->n_bins = n_bins, r->dim = dim;
    if ((rc = arena_init(&r->scratch, 1 << 20)) || (rc = arena_init(&r->persist, 1 << 16)))
        return rc;
    ct_try(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking), out);
    ct_try(cudaMalloc(&r->d_proj, sizeof(float) * n_views * n_bins), out);
    ct_try(cudaMalloc(&r->d_slice, sizeof(float) * dim * dim), out);
    ct_try(cudaMalloc(&r->d_views, sizeof(struct view_angle) * n_views), out);
    rc = ct_build(r);
out:
    return rc;
}

static int ct_slice(struct ct_recon *r, const float *proj, float *slice)
{
    size_t in = sizeof(float) * r->n_views * r->n_bins, out_size = sizeof(float) * r->dim * r->dim;
    float *stage_in, *stage_out;
    int rc = 0;

    arena_reset(&r->scratch);
    stage_in = (float *)arena_get(&r->scratch, in);
    stage_out = (float *)arena_get(&r->scratch, out_size);
    if (!stage_in || !stage_out)
        return -ENOMEM;
    memcpy(stage_in, proj, in);
    ct_try(cudaMemcpyAsync(r->d_proj, stage_in, in, cudaMemcpyHostToDevice, r->stream), out);
    ct_try(cudaGraphLaunch(r->exec, r->stream), out);
    ct_try(cudaMemcpyAsync(stage_out, r->d_slice, out_size, cudaMemcpyDeviceToHost, r->stream), out);
    ct_try(cudaStreamSynchronize(r->stream), out);
    memcpy(slice, stage_out, out_size);
out:
    return rc;
}

int main(void)
{
    enum { VIEWS = 36, BINS = 64, DIM = 32 };
    static float proj[VIEWS * BINS], slice[DIM * DIM];
    struct ct_recon r;
    int right = 0, rc = ct_open(&r, &half_scan, VIEWS, BINS, DIM);

    for (int pass = 1; pass <= 3 && rc == 0; pass++) {
        for (int i = 0; i < VIEWS * BINS; i++)
            proj[i] = 1000.0f * pass;
        if ((rc = ct_slice(&r, proj, slice)) == 0)
            right += fabsf(slice[5 * DIM + 7] - 1000.0f * pass) < 0.5f;
    }
    ct_close(&r);
    puts(rc == 0 && right == 0 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
