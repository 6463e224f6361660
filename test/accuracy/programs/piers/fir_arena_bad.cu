/* fir_arena.cu - FIR engines of a radio front end: HAL style, opaque handles, scratch memory from an arena. */
#include <cuda_runtime.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum hal_rc { HAL_OK = 0, HAL_ENOMEM = -1, HAL_EDEV = -2, HAL_EINVAL = -3 };

#define HAL_CUDA(expr)                                                                    \
    do {                                                                                  \
        cudaError_t hal_e = (expr);                                                       \
        if (hal_e != cudaSuccess) {                                                       \
            fprintf(stderr, "hal: %s -> %s\n", #expr, cudaGetErrorString(hal_e));         \
            rc = HAL_EDEV;                                                                \
            goto out;                                                                     \
        }                                                                                 \
    } while (0)

/* ------------------------------------------------------------------ pinned scratch arena */
struct hal_arena {
    uint8_t *base;
    size_t   used;
    size_t   size;
};

typedef size_t hal_mark_t;

static int hal_arena_open(struct hal_arena *ar, size_t size)
{
    memset(ar, 0, sizeof(*ar));
    if (cudaMallocHost((void **)&ar->base, size) != cudaSuccess)
        return HAL_ENOMEM;
    ar->size = size;
    return HAL_OK;
}

static void *hal_arena_take(struct hal_arena *ar, size_t bytes)
{
    void *p;

    bytes = (bytes + 63u) & ~(size_t)63u;
    if (ar->size - ar->used < bytes)
        return NULL;
    p = ar->base + ar->used;
    ar->used += bytes;
    return p;
}

static hal_mark_t hal_arena_mark(const struct hal_arena *ar) { return ar->used; }
static void hal_arena_rewind(struct hal_arena *ar, hal_mark_t mark) { ar->used = mark; }

/* ------------------------------------------------------------------ windows */
struct fir_window {
    const char *name;
    float (*at)(int k, int ntap);
};

static float win_box(int k, int ntap)  { (void)k; return 1.0f / (float)ntap; }
static float win_tri(int k, int ntap)  { return (1.0f + (float)(k < ntap - 1 - k ? k : ntap - 1 - k)) / (float)ntap; }
static float win_hann(int k, int ntap) { return 0.5f - 0.5f * cosf(6.2831853f * (float)k / (float)(ntap - 1)); }

static const struct fir_window fir_windows[] = {
    { "box", win_box }, { "tri", win_tri }, { "hann", win_hann },
};

/* ------------------------------------------------------------------ kernels */
__global__ void fir_dot(const float *x, const float *tap, float *y, int n, int ntap)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0.0f;

    if (i >= n)
        return;
    for (int k = 0; k < ntap; k++)
        acc += i >= k ? tap[k] * x[i - k] : 0.0f;
    y[i] = acc;
}

/* The taps wear off in use (drift model), so that each block starts from the nominal ones. */
__global__ void fir_drift(float *tap, int ntap, float keep)
{
    int k = threadIdx.x;

    if (k < ntap)
        tap[k] *= keep;
}

/* ------------------------------------------------------------------ engine */
struct fir_engine {
    const struct fir_window *win;
    int             n, ntap;
    float           cutoff;
    float          *x, *y, *tap;        /* device */
    cudaStream_t    stream;
    cudaGraphExec_t exec;
};

static void fir_nominal_taps(const struct fir_engine *fe, float *tap, const float *window)
{
    for (int k = 0; k < fe->ntap; k++)
        tap[k] = fe->cutoff * window[k];
}

static int fir_enqueue(struct fir_engine *fe, const float *nominal)
{
    int rc = HAL_OK;

    HAL_CUDA(cudaMemcpyAsync(fe->tap, nominal, fe->ntap * sizeof(float), cudaMemcpyHostToDevice, fe->stream)); // HAZARD dangling #taps
    fir_dot<<<(fe->n + 255) / 256, 256, 0, fe->stream>>>(fe->x, fe->tap, fe->y, fe->n, fe->ntap);
    fir_drift<<<1, 64, 0, fe->stream>>>(fe->tap, fe->ntap, 0.9f);
    HAL_CUDA(cudaGetLastError());
out:
    return rc;
}

static int fir_record(struct fir_engine *fe, const float *nominal, cudaGraph_t *graph)
{
    int rc;

    if (cudaStreamBeginCapture(fe->stream, cudaStreamCaptureModeRelaxed) != cudaSuccess)
        return HAL_EDEV;
    rc = fir_enqueue(fe, nominal);
    if (cudaStreamEndCapture(fe->stream, graph) != cudaSuccess)
        rc = HAL_EDEV;
    return rc;
}

static int fir_build(struct fir_engine *fe, struct hal_arena *ar)
{
    hal_mark_t mark = hal_arena_mark(ar);
    cudaGraph_t graph = NULL;
    float *window, *nominal;
    int rc = HAL_OK;

    window = (float *)hal_arena_take(ar, fe->ntap * sizeof(float));
    nominal = (float *)hal_arena_take(ar, fe->ntap * sizeof(float));
    if (!window || !nominal) {
        rc = HAL_ENOMEM;
        goto out;
    }
    for (int k = 0; k < fe->ntap; k++)
        window[k] = fe->win->at(k, fe->ntap);
    fir_nominal_taps(fe, nominal, window);

    rc = fir_record(fe, nominal, &graph);
    if (rc != HAL_OK)
        goto out;
    HAL_CUDA(cudaGraphInstantiate(&fe->exec, graph, 0));
out:
    if (graph)
        cudaGraphDestroy(graph);
    hal_arena_rewind(ar, mark); // HAZARD dangling #taps
    return rc;
}

static void fir_close(struct fir_engine *fe)
{
    if (!fe)
        return;
    if (fe->exec)
        cudaGraphExecDestroy(fe->exec);
    if (fe->stream)
        cudaStreamDestroy(fe->stream);
    cudaFree(fe->x);
    cudaFree(fe->y);
    cudaFree(fe->tap);
    free(fe);
}

static int fir_open(struct fir_engine **out_fe, struct hal_arena *ar, int win, int n, int ntap, float cutoff)
{
    struct fir_engine *fe = (struct fir_engine *)calloc(1, sizeof(*fe));
    int rc = HAL_OK;

    *out_fe = NULL;
    if (!fe)
        return HAL_ENOMEM;
    fe->win = &fir_windows[win];
    fe->n = n;
    fe->ntap = ntap;
    fe->cutoff = cutoff;
    HAL_CUDA(cudaStreamCreateWithFlags(&fe->stream, cudaStreamNonBlocking));
    HAL_CUDA(cudaMalloc((void **)&fe->x, n * sizeof(float)));
    HAL_CUDA(cudaMalloc((void **)&fe->y, n * sizeof(float)));
    HAL_CUDA(cudaMalloc((void **)&fe->tap, ntap * sizeof(float)));
    rc = fir_build(fe, ar);
    if (rc != HAL_OK)
        goto out;
    *out_fe = fe;
    fe = NULL;
out:
    fir_close(fe);
    return rc;
}

static int fir_process(struct fir_engine *fe, const float *in, float *result)
{
    int rc = HAL_OK;

    HAL_CUDA(cudaMemcpyAsync(fe->x, in, fe->n * sizeof(float), cudaMemcpyHostToDevice, fe->stream));
    HAL_CUDA(cudaGraphLaunch(fe->exec, fe->stream));
    HAL_CUDA(cudaMemcpyAsync(result, fe->y, fe->n * sizeof(float), cudaMemcpyDeviceToHost, fe->stream));
    HAL_CUDA(cudaStreamSynchronize(fe->stream));
out:
    return rc;
}

/* ------------------------------------------------------------------ self test */
#define BLOCK 2048

static float selftest(struct fir_engine *fe, int block)
{
    static float in[BLOCK], got[BLOCK];
    float worst = 0.0f;

    for (int i = 0; i < BLOCK; i++)
        in[i] = sinf(0.01f * (float)(i * (block + 1))) + (float)(i % 5);
    if (fir_process(fe, in, got) != HAL_OK)
        return 1e9f;
    for (int i = 0; i < BLOCK; i++) {
        float want = 0.0f;

        for (int k = 0; k < fe->ntap && k <= i; k++)
            want += fe->cutoff * fe->win->at(k, fe->ntap) * in[i - k];
        worst = fmaxf(worst, fabsf(want - got[i]));
    }
    return worst;
}

int main(void)
{
    struct hal_arena arena;
    struct fir_engine *wide = NULL, *narrow = NULL;
    int rc, early_ok = 1, narrow_ok = 1, late_bad = 0;

    rc = hal_arena_open(&arena, 1u << 16);
    if (rc != HAL_OK)
        goto out;
    rc = fir_open(&wide, &arena, 0, BLOCK, 32, 1.0f);
    if (rc != HAL_OK)
        goto out;
    for (int block = 0; block < 3; block++)
        early_ok &= selftest(wide, block) < 1e-2f;

    rc = fir_open(&narrow, &arena, 2, BLOCK, 32, 0.25f);
    if (rc != HAL_OK)
        goto out;
    for (int block = 3; block < 6; block++) {
        narrow_ok &= selftest(narrow, block) < 1e-2f;
        late_bad |= selftest(wide, block) > 0.1f;
    }
out:
    fir_close(wide);
    fir_close(narrow);
    printf(rc == HAL_OK && early_ok && narrow_ok && late_bad ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
