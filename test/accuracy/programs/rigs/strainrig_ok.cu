/* Acquisition rig for a strain-gauge load frame: raw bridge samples pass through a list of stages. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIG_OK = 0, RIG_ENOMEM = -1, RIG_ECUDA = -2, RIG_EKEY = -3, RIG_EFULL = -4 };
enum { BLOCK_SAMPLES = 2048, MAX_STAGES = 8 };

typedef struct stage_ops {
    const char *name;
    int (*create)(void **ctx);
    int (*set)(void *ctx, const char *key, float value);
    int (*emit)(void *ctx, const float *src, float *dst, int n, cudaStream_t st);
    void (*emulate)(const void *ctx, const float *src, float *dst, int n);
    void (*destroy)(void *ctx);
} stage_ops;

typedef struct stage {
    const stage_ops *ops;
    void *ctx;
} stage;

typedef struct rig {
    stage stages[MAX_STAGES];
    int nstages;
    float *d_buf[2];
    float *h_in;
    float *h_out;
    cudaStream_t stream;
    cudaGraphExec_t exec;
} rig;

/* ---- tare: remove the unloaded bridge voltage ---- */
typedef struct { float zero; } tare_ctx;

__global__ void tare_kernel(const float *src, float *dst, int n, float zero)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = src[i] - zero;
}

static int tare_create(void **ctx)
{
    tare_ctx *c = (tare_ctx *)calloc(1, sizeof *c);
    if (!c) return RIG_ENOMEM;
    c->zero = 0.125f;
    *ctx = c;
    return RIG_OK;
}
static int tare_set(void *, const char *, float) { return RIG_EKEY; }
static int tare_emit(void *ctx, const float *src, float *dst, int n, cudaStream_t st)
{
    const tare_ctx *c = (const tare_ctx *)ctx;
    tare_kernel<<<(n + 255) / 256, 256, 0, st>>>(src, dst, n, c->zero);
    return cudaGetLastError() == cudaSuccess ? RIG_OK : RIG_ECUDA;
}
static void tare_emulate(const void *ctx, const float *src, float *dst, int n)
{
    const tare_ctx *c = (const tare_ctx *)ctx;
    for (int i = 0; i < n; ++i) dst[i] = src[i] - c->zero;
}

/* ---- bridge: convert volts to microstrain ---- */
typedef struct {
    float gauge_factor;
    float excitation;
    float *h_factor;
    float *d_factor;
} bridge_ctx;

__global__ void bridge_kernel(const float *src, float *dst, int n, const float *factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = src[i] * *factor;
}

static int bridge_create(void **ctx)
{
    bridge_ctx *c = (bridge_ctx *)calloc(1, sizeof *c);
    if (!c) return RIG_ENOMEM;
    c->gauge_factor = 2.0f;
    c->excitation = 5.0f;
    if (cudaMallocHost((void **)&c->h_factor, sizeof(float)) != cudaSuccess) goto fail;
    if (cudaMalloc((void **)&c->d_factor, sizeof(float)) != cudaSuccess) goto fail;
    *c->h_factor = 4.0f / (c->gauge_factor * c->excitation);
    *ctx = c;
    return RIG_OK;
fail:
    cudaFreeHost(c->h_factor);
    free(c);
    return RIG_ECUDA;
}
static void bridge_destroy(void *ctx)
{
    bridge_ctx *c = (bridge_ctx *)ctx;
    cudaFree(c->d_factor);
    cudaFreeHost(c->h_factor);
    free(c);
}
static int bridge_set(void *ctx, const char *key, float value)
{
    bridge_ctx *c = (bridge_ctx *)ctx;
    if (strcmp(key, "excitation") != 0) return RIG_EKEY;
    c->excitation = value;
    *c->h_factor = 4.0f / (c->gauge_factor * c->excitation);
    return RIG_OK;
}
static int bridge_emit(void *ctx, const float *src, float *dst, int n, cudaStream_t st)
{
    const bridge_ctx *c = (const bridge_ctx *)ctx;
    if (cudaMemcpyAsync(c->d_factor, c->h_factor, sizeof(float), cudaMemcpyHostToDevice, st) != cudaSuccess)
        return RIG_ECUDA;
    bridge_kernel<<<(n + 255) / 256, 256, 0, st>>>(src, dst, n, c->d_factor);
    return cudaGetLastError() == cudaSuccess ? RIG_OK : RIG_ECUDA;
}
static void bridge_emulate(const void *ctx, const float *src, float *dst, int n)
{
    const bridge_ctx *c = (const bridge_ctx *)ctx;
    for (int i = 0; i < n; ++i) dst[i] = src[i] * (4.0f / (c->gauge_factor * c->excitation));
}

/* ---- smooth: three-tap binomial filter ---- */
__global__ void smooth_kernel(const float *src, float *dst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = src[i > 0 ? i - 1 : 0], b = src[i], c = src[i < n - 1 ? i + 1 : n - 1];
    dst[i] = 0.25f * a + 0.5f * b + 0.25f * c;
}
static int smooth_create(void **ctx) { *ctx = NULL; return RIG_OK; }
static int smooth_set(void *, const char *, float) { return RIG_EKEY; }
static int smooth_emit(void *, const float *src, float *dst, int n, cudaStream_t st)
{
    smooth_kernel<<<(n + 255) / 256, 256, 0, st>>>(src, dst, n);
    return cudaGetLastError() == cudaSuccess ? RIG_OK : RIG_ECUDA;
}
static void smooth_emulate(const void *, const float *src, float *dst, int n)
{
    for (int i = 0; i < n; ++i)
        dst[i] = 0.25f * src[i > 0 ? i - 1 : 0] + 0.5f * src[i] + 0.25f * src[i < n - 1 ? i + 1 : n - 1];
}

static const stage_ops k_tare = { "tare", tare_create, tare_set, tare_emit, tare_emulate, free };
static const stage_ops k_bridge = { "bridge", bridge_create, bridge_set, bridge_emit, bridge_emulate, bridge_destroy };
static const stage_ops k_smooth = { "smooth", smooth_create, smooth_set, smooth_emit, smooth_emulate, free };

static void rig_close(rig *r)
{
    if (!r) return;
    if (r->exec) cudaGraphExecDestroy(r->exec);
    if (r->stream) cudaStreamDestroy(r->stream);
    for (int i = 0; i < r->nstages; ++i) r->stages[i].ops->destroy(r->stages[i].ctx);
    cudaFree(r->d_buf[0]);
    cudaFree(r->d_buf[1]);
    cudaFreeHost(r->h_in);
    cudaFreeHost(r->h_out);
    free(r);
}

static int rig_open(rig **out)
{
    const size_t bytes = BLOCK_SAMPLES * sizeof(float);
    rig *r = (rig *)calloc(1, sizeof *r);
    if (!r) return RIG_ENOMEM;
    if (cudaStreamCreate(&r->stream) != cudaSuccess) goto fail;
    if (cudaMalloc((void **)&r->d_buf[0], bytes) != cudaSuccess) goto fail;
    if (cudaMalloc((void **)&r->d_buf[1], bytes) != cudaSuccess) goto fail;
    if (cudaMallocHost((void **)&r->h_in, bytes) != cudaSuccess) goto fail;
    if (cudaMallocHost((void **)&r->h_out, bytes) != cudaSuccess) goto fail;
    *out = r;
    return RIG_OK;
fail:
    rig_close(r);
    return RIG_ECUDA;
}

static int rig_add(rig *r, const stage_ops *ops)
{
    if (r->nstages == MAX_STAGES) return RIG_EFULL;
    stage *s = &r->stages[r->nstages];
    int rc = ops->create(&s->ctx);
    if (rc != RIG_OK) return rc;
    s->ops = ops;
    r->nstages++;
    return RIG_OK;
}

static int rig_set(rig *r, const char *stage_name, const char *key, float value)
{
    for (int i = 0; i < r->nstages; ++i)
        if (strcmp(r->stages[i].ops->name, stage_name) == 0)
            return r->stages[i].ops->set(r->stages[i].ctx, key, value);
    return RIG_EKEY;
}

static int rig_record(rig *r)
{
    const size_t bytes = BLOCK_SAMPLES * sizeof(float);
    cudaGraph_t g = NULL;
    int rc = RIG_OK, cur = 0;

    if (cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeGlobal) != cudaSuccess) return RIG_ECUDA;
    if (cudaMemcpyAsync(r->d_buf[0], r->h_in, bytes, cudaMemcpyHostToDevice, r->stream) != cudaSuccess) rc = RIG_ECUDA;
    for (int i = 0; rc == RIG_OK && i < r->nstages; ++i, cur ^= 1)
        rc = r->stages[i].ops->emit(r->stages[i].ctx, r->d_buf[cur], r->d_buf[cur ^ 1], BLOCK_SAMPLES, r->stream);
    if (rc == RIG_OK &&
        cudaMemcpyAsync(r->h_out, r->d_buf[cur], bytes, cudaMemcpyDeviceToHost, r->stream) != cudaSuccess)
        rc = RIG_ECUDA;
    if (cudaStreamEndCapture(r->stream, &g) != cudaSuccess && rc == RIG_OK) rc = RIG_ECUDA;
    if (rc != RIG_OK) goto out;
    if (cudaGraphInstantiate(&r->exec, g, 0) != cudaSuccess) rc = RIG_ECUDA;
out:
    if (g) cudaGraphDestroy(g);
    return rc;
}

static int rig_process(rig *r)
{
    if (cudaGraphLaunch(r->exec, r->stream) != cudaSuccess) return RIG_ECUDA;
    return cudaStreamSynchronize(r->stream) == cudaSuccess ? RIG_OK : RIG_ECUDA;
}

static int rig_verify(const rig *r)
{
    static float a[BLOCK_SAMPLES], b[BLOCK_SAMPLES];
    float *src = a, *dst = b;
    memcpy(a, r->h_in, sizeof a);
    for (int i = 0; i < r->nstages; ++i) {
        r->stages[i].ops->emulate(r->stages[i].ctx, src, dst, BLOCK_SAMPLES);
        float *t = src; src = dst; dst = t;
    }
    for (int i = 0; i < BLOCK_SAMPLES; ++i)
        if (fabsf(src[i] - r->h_out[i]) > 1e-4f) return 0;
    return 1;
}

int main(void)
{
    const stage_ops *plan[] = { &k_tare, &k_bridge, &k_smooth };
    const float excitation[] = { 5.0f, 5.0f, 2.5f, 2.5f, 10.0f, 10.0f };
    rig *r = NULL;
    int early = 0, late = 0, rc = rig_open(&r);
    for (size_t i = 0; rc == RIG_OK && i < sizeof plan / sizeof plan[0]; ++i) rc = rig_add(r, plan[i]);
    if (rc == RIG_OK) rc = rig_record(r);
    for (int b = 0; rc == RIG_OK && b < 6; ++b) {
        if (b > 0 && excitation[b] != excitation[b - 1])
            rc = rig_set(r, "bridge", "excitation", excitation[b]);
        for (int i = 0; i < BLOCK_SAMPLES; ++i) r->h_in[i] = 0.125f + 0.5f * sinf(0.01f * (float)(i + 77 * b));
        if (rc == RIG_OK) rc = rig_process(r);
        if (rc == RIG_OK) *(b < 2 ? &early : &late) += rig_verify(r);
    }
    printf("rc %d, blocks right: %d before and %d after the supply change\n", rc, early, late);
    rig_close(r);
    puts(rc == RIG_OK && early == 2 && late == 4 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
