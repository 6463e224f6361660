/* image filter chain for the scanner preview; filters register themselves in a table */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fc_ctx {
    int w, h;
    float *img;
    void *scratch;
    size_t scratch_bytes;
    cudaStream_t st;
    cudaGraphExec_t exec;
} fc_ctx;

typedef struct fc_filter {
    const char *name;
    cudaError_t (*prepare)(fc_ctx *c);
    cudaError_t (*run)(fc_ctx *c, cudaStream_t st);
} fc_filter;

__global__ void k_invert(float *img, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) img[i] = 1.0f - img[i];
}

__global__ void k_box_h(const float *src, float *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, d;
    float s = 0.0f;
    if (x >= w || y >= h) return;
    for (d = -2; d <= 2; d++) s += src[y * w + min(max(x + d, 0), w - 1)];
    dst[y * w + x] = s / 5.0f;
}

__global__ void k_box_v(const float *src, float *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, d;
    float s = 0.0f;
    if (x >= w || y >= h) return;
    for (d = -2; d <= 2; d++) s += src[min(max(y + d, 0), h - 1) * w + x];
    dst[y * w + x] = s / 5.0f;
}

static cudaError_t fc_scratch(fc_ctx *c, size_t need)
{
    cudaError_t rc;
    if (c->scratch) /* shared by all filters, first user sizes it */
        return c->scratch_bytes >= need ? cudaSuccess : cudaErrorInvalidValue;
    rc = cudaMalloc(&c->scratch, need); // HAZARD refused
    if (rc == cudaSuccess) c->scratch_bytes = need;
    return rc;
}

static cudaError_t nothing_to_prepare(fc_ctx *c)
{
    (void)c;
    return cudaSuccess;
}

static cudaError_t invert_run(fc_ctx *c, cudaStream_t st)
{
    int n = c->w * c->h;
    k_invert<<<(n + 255) / 256, 256, 0, st>>>(c->img, n);
    return cudaGetLastError();
}

static cudaError_t box_run(fc_ctx *c, cudaStream_t st)
{
    dim3 grid((c->w + 63) / 64, c->h);
    float *tmp;
    cudaError_t rc = fc_scratch(c, sizeof(float) * (size_t)c->w * c->h);
    if (rc != cudaSuccess) return rc;
    tmp = (float *)c->scratch;
    k_box_h<<<grid, 64, 0, st>>>(c->img, tmp, c->w, c->h);
    rc = cudaGetLastError();
    if (rc != cudaSuccess) return rc;
    k_box_v<<<grid, 64, 0, st>>>(tmp, c->img, c->w, c->h);
    return cudaGetLastError();
}

static const fc_filter filters[] = {
    { "invert", nothing_to_prepare, invert_run },
    { "box", nothing_to_prepare, box_run },
};
#define NFILTERS ((int)(sizeof filters / sizeof filters[0]))

static const fc_filter *fc_find(const char *name)
{
    int i;
    for (i = 0; i < NFILTERS; i++)
        if (!strcmp(filters[i].name, name)) return &filters[i];
    return NULL;
}

static cudaError_t fc_open(fc_ctx *c, int w, int h)
{
    cudaError_t rc;
    memset(c, 0, sizeof *c);
    c->w = w;
    c->h = h;
    rc = cudaStreamCreateWithFlags(&c->st, cudaStreamNonBlocking);
    if (rc != cudaSuccess) return rc;
    return cudaMalloc((void **)&c->img, sizeof(float) * (size_t)w * h);
}

static cudaError_t fc_build(fc_ctx *c, const char *const *names, int n)
{
    const fc_filter *f;
    cudaGraph_t g = NULL;
    cudaError_t rc = cudaSuccess, end;
    int i;

    for (i = 0; i < n; i++) {
        f = fc_find(names[i]);
        if (!f) return cudaErrorInvalidValue;
        rc = f->prepare(c);
        if (rc != cudaSuccess) return rc;
    }
    rc = cudaStreamBeginCapture(c->st, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    for (i = 0; i < n && rc == cudaSuccess; i++)
        rc = fc_find(names[i])->run(c, c->st);
    end = cudaStreamEndCapture(c->st, &g);
    if (rc == cudaSuccess) rc = end;
    if (rc == cudaSuccess) rc = cudaGraphInstantiate(&c->exec, g, 0);
    if (g) cudaGraphDestroy(g);
    return rc;
}

static cudaError_t fc_apply(fc_ctx *c, float *pixels)
{
    size_t bytes = sizeof(float) * (size_t)c->w * c->h;
    cudaError_t rc = cudaMemcpyAsync(c->img, pixels, bytes, cudaMemcpyHostToDevice, c->st);
    if (rc == cudaSuccess) rc = cudaGraphLaunch(c->exec, c->st);
    if (rc == cudaSuccess) rc = cudaMemcpyAsync(pixels, c->img, bytes, cudaMemcpyDeviceToHost, c->st);
    if (rc == cudaSuccess) rc = cudaStreamSynchronize(c->st);
    return rc;
}

static void fc_close(fc_ctx *c)
{
    if (c->exec) cudaGraphExecDestroy(c->exec);
    cudaFree(c->scratch);
    cudaFree(c->img);
    if (c->st) cudaStreamDestroy(c->st);
}

int main(void)
{
    static const char *const preview[] = { "invert", "box", "invert" };
    fc_ctx c;
    float *px;
    int i, k, n, good = 1;
    cudaError_t rc = fc_open(&c, 320, 200);

    if (rc == cudaSuccess) rc = fc_build(&c, preview, 3);
    n = c.w * c.h;
    px = (float *)malloc(sizeof(float) * n);
    for (k = 1; k <= 3 && rc == cudaSuccess; k++) {
        for (i = 0; i < n; i++) px[i] = 0.25f * k;
        rc = fc_apply(&c, px);
        for (i = 0; i < n; i++)
            if (px[i] - 0.25f * k > 1e-4f || 0.25f * k - px[i] > 1e-4f) good = 0;
    }
    printf("filter chain: %s\n", cudaGetErrorName(rc));
    free(px);
    fc_close(&c);
    puts(rc == cudaErrorStreamCaptureUnsupported ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
