/* Data acquisition filter chain, C style: ops tables, integer error codes, goto cleanup. */
#include <cuda_runtime.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_SAMPLES 2048

struct filter;
struct filter_ops {
    const char *name;
    int (*check)(const struct filter *f);
    int (*enqueue)(struct filter *f, float *buf, int n, cudaStream_t st);
};
struct filter {
    const struct filter_ops *ops;
    float coef;
    int enabled;
};
struct chain {
    struct filter filters[4];
    int count;
    float *buf;
    cudaStream_t st;
    cudaGraphExec_t exec;
};

__global__ void k_gain(float *b, int n, float c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] *= c;
}
__global__ void k_offset(float *b, int n, float c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] += c;
}
__global__ void k_clip(float *b, int n, float c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = fminf(b[i], c);
}

static int any_check(const struct filter *f) { (void)f; return 0; }
static int clip_check(const struct filter *f) { return f->coef > 0.0f ? 0 : -ERANGE; }

static int gain_enqueue(struct filter *f, float *b, int n, cudaStream_t st) {
    k_gain<<<(n + 255) / 256, 256, 0, st>>>(b, n, f->coef);
    return cudaGetLastError() == cudaSuccess ? 0 : -EIO;
}
static int offset_enqueue(struct filter *f, float *b, int n, cudaStream_t st) {
    k_offset<<<(n + 255) / 256, 256, 0, st>>>(b, n, f->coef);
    return cudaGetLastError() == cudaSuccess ? 0 : -EIO;
}
static int clip_enqueue(struct filter *f, float *b, int n, cudaStream_t st) {
    int rc = f->ops->check(f);
    if (rc) return rc;
    k_clip<<<(n + 255) / 256, 256, 0, st>>>(b, n, f->coef);
    return cudaGetLastError() == cudaSuccess ? 0 : -EIO;
}

static const struct filter_ops gain_ops = {"gain", any_check, gain_enqueue};
static const struct filter_ops offset_ops = {"offset", any_check, offset_enqueue};
static const struct filter_ops clip_ops = {"clip", clip_check, clip_enqueue};

static int chain_build(struct chain *c) {
    int rc = 0, i;
    cudaGraph_t g = NULL;
    cudaGraphExec_t exec = NULL;

    if (cudaStreamBeginCapture(c->st, cudaStreamCaptureModeGlobal) != cudaSuccess)
        return -EBUSY;
    for (i = 0; i < c->count; i++) {
        struct filter *f = &c->filters[i];
        if (!f->enabled) continue;
        rc = f->ops->enqueue(f, c->buf, N_SAMPLES, c->st);
        if (rc) {
            fprintf(stderr, "filter %s: error %d\n", f->ops->name, rc);
            goto out; // HAZARD scope
        }
    }
    if (cudaStreamEndCapture(c->st, &g) != cudaSuccess) {
        rc = -EIO;
        goto out;
    }
    if (cudaGraphInstantiate(&exec, g, 0) != cudaSuccess) {
        rc = -ENOMEM;
        goto out;
    }
    if (c->exec) cudaGraphExecDestroy(c->exec);
    c->exec = exec;
out:
    if (g) cudaGraphDestroy(g);
    return rc;
}

static int chain_run_eager(struct chain *c) {
    int rc, i;
    for (i = 0; i < c->count; i++) {
        struct filter *f = &c->filters[i];
        if (!f->enabled || f->ops->check(f)) continue;
        rc = f->ops->enqueue(f, c->buf, N_SAMPLES, c->st);
        if (rc) return rc;
    }
    return cudaStreamSynchronize(c->st) == cudaSuccess ? 0 : -EIO;
}

static int chain_run_graph(struct chain *c) {
    if (cudaGraphLaunch(c->exec, c->st) != cudaSuccess) return -EIO;
    return cudaStreamSynchronize(c->st) == cudaSuccess ? 0 : -EIO;
}

static int chain_load(struct chain *c, float v) {
    float *tmp = (float *)malloc(N_SAMPLES * sizeof(float));
    int i, rc = 0;
    if (!tmp) return -ENOMEM;
    for (i = 0; i < N_SAMPLES; i++) tmp[i] = v;
    if (cudaMemcpy(c->buf, tmp, N_SAMPLES * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess)
        rc = -EIO;
    free(tmp);
    return rc;
}

static int chain_expect(struct chain *c, float want) {
    static float host[N_SAMPLES];
    int i;
    if (cudaMemcpy(host, c->buf, sizeof(host), cudaMemcpyDeviceToHost) != cudaSuccess) return 0;
    for (i = 0; i < N_SAMPLES; i++)
        if (host[i] != want) {
            printf("sample %d: %f, want %f\n", i, host[i], want);
            return 0;
        }
    return 1;
}

int main(void) {
    struct chain c;
    int ok = 1, rc, i, fallback, seen = 0;

    memset(&c, 0, sizeof(c));
    c.filters[c.count++] = {&gain_ops, 2.0f, 1};
    c.filters[c.count++] = {&offset_ops, 1.0f, 1};
    c.filters[c.count++] = {&clip_ops, 20.0f, 1};
    if (cudaStreamCreateWithFlags(&c.st, cudaStreamNonBlocking) != cudaSuccess) goto done;
    if (cudaMalloc((void **)&c.buf, N_SAMPLES * sizeof(float)) != cudaSuccess) goto done;

    ok &= chain_load(&c, 1.0f) == 0;
    ok &= chain_build(&c) == 0;
    for (i = 0; i < 4 && ok; i++) ok &= chain_run_graph(&c) == 0;
    ok &= chain_expect(&c, 20.0f);

    /* operator reloads the configuration with a bad clip level */
    ok &= chain_load(&c, 3.0f) == 0;
    c.filters[2].coef = -1.0f;
    rc = chain_build(&c);
    ok &= rc == -ERANGE;
    fallback = chain_run_eager(&c);
    printf("reload rc %d, fallback rc %d (%s)\n", rc, fallback, cudaGetErrorName(cudaGetLastError()));
    seen = ok && fallback != 0;

done:
    if (c.exec) cudaGraphExecDestroy(c.exec);
    if (c.buf) cudaFree(c.buf);
    if (c.st) cudaStreamDestroy(c.st);
    printf(seen ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return seen ? 0 : 1;
}
