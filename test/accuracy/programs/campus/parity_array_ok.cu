/* parity_array: RAID-5 style parity over member disks; the stripe pipeline is recorded as a graph and replayed
 * for every stripe. Members may drop out and be replaced by the operator. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PA_MEMBERS 5
#define PA_CHUNK   16384 /* bytes of one member in a stripe */
#define PA_WORDS   (PA_CHUNK / 4)

enum { PA_OK, PA_EOFFLINE, PA_ECUDA, PA_ENOTREADY };
enum pa_state { MEMBER_ONLINE, MEMBER_OFFLINE };

struct pa_member {
    enum pa_state state;
    uint32_t *host;   /* pinned chunk buffer */
    uint32_t *dev;
};

struct pa_array {
    struct pa_member member[PA_MEMBERS];
    uint32_t *d_parity, *h_parity;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    cudaError_t err;
};

__global__ void xor_into(uint32_t *parity, const uint32_t *chunk, int words)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        parity[i] ^= chunk[i];
}

static const char *pa_strerror(int rc)
{
    static const char *const names[] = { "ok", "member offline", "cuda failure", "no pipeline" };
    return names[rc];
}

static void *pinned(size_t bytes)
{
    void *p = NULL;
    return cudaMallocHost(&p, bytes) == cudaSuccess ? memset(p, 0, bytes) : NULL;
}

static int pa_open(struct pa_array *a)
{
    int rc = PA_ECUDA, i;
    memset(a, 0, sizeof *a);
    if ((a->err = cudaStreamCreateWithFlags(&a->stream, cudaStreamNonBlocking)) != cudaSuccess) goto out;
    if ((a->err = cudaMalloc((void **)&a->d_parity, PA_CHUNK)) != cudaSuccess) goto out;
    if (!(a->h_parity = (uint32_t *)pinned(PA_CHUNK))) goto out;
    for (i = 0; i < PA_MEMBERS; ++i) {
        if ((a->err = cudaMalloc((void **)&a->member[i].dev, PA_CHUNK)) != cudaSuccess) goto out;
        if (!(a->member[i].host = (uint32_t *)pinned(PA_CHUNK))) goto out;
    }
    rc = PA_OK;
out:
    return rc;
}

/* Records load + xor of every member into one graph. */
static int pa_build(struct pa_array *a)
{
    cudaGraph_t graph = NULL, partial = NULL;
    cudaError_t queued = cudaSuccess;
    int rc = PA_ECUDA, i;

    if ((a->err = cudaStreamBeginCapture(a->stream, cudaStreamCaptureModeThreadLocal)) != cudaSuccess) goto out;

    queued = cudaMemsetAsync(a->d_parity, 0, PA_CHUNK, a->stream);
    for (i = 0; i < PA_MEMBERS; ++i) {
        struct pa_member *m = &a->member[i];
        if (m->state != MEMBER_ONLINE) {
            fprintf(stderr, "parity: member %d is offline\n", i);
            rc = PA_EOFFLINE;
            goto abandon;
        }
        if (queued == cudaSuccess)
            queued = cudaMemcpyAsync(m->dev, m->host, PA_CHUNK, cudaMemcpyHostToDevice, a->stream);
        xor_into<<<16, 128, 0, a->stream>>>(a->d_parity, m->dev, PA_WORDS);
        if (queued == cudaSuccess)
            queued = cudaGetLastError();
    }
    if (queued == cudaSuccess)
        queued = cudaMemcpyAsync(a->h_parity, a->d_parity, PA_CHUNK, cudaMemcpyDeviceToHost, a->stream);

    if ((a->err = cudaStreamEndCapture(a->stream, &graph)) != cudaSuccess) goto out;
    if ((a->err = queued) != cudaSuccess) goto out;
    if ((a->err = cudaGraphInstantiate(&a->exec, graph, 0)) != cudaSuccess) goto out;
    rc = PA_OK;
    goto out;

abandon: /* leave the stream usable: the half-recorded graph is thrown away */
    a->err = cudaStreamEndCapture(a->stream, &partial);
    if (partial) cudaGraphDestroy(partial);
out:
    if (graph) cudaGraphDestroy(graph);
    return rc;
}

static int pa_flush_stripe(struct pa_array *a)
{
    if (!a->exec) return PA_ENOTREADY;
    if ((a->err = cudaGraphLaunch(a->exec, a->stream)) != cudaSuccess) return PA_ECUDA;
    if ((a->err = cudaStreamSynchronize(a->stream)) != cudaSuccess) return PA_ECUDA;
    return PA_OK;
}

static void pa_close(struct pa_array *a)
{
    int i;
    if (a->exec) cudaGraphExecDestroy(a->exec);
    if (a->stream) cudaStreamDestroy(a->stream);
    for (i = 0; i < PA_MEMBERS; ++i) {
        cudaFree(a->member[i].dev);
        cudaFreeHost(a->member[i].host);
    }
    cudaFree(a->d_parity);
    cudaFreeHost(a->h_parity);
}

static void fill_stripe(struct pa_array *a, uint32_t stripe)
{
    for (int m = 0; m < PA_MEMBERS; ++m)
        for (uint32_t w = 0; w < PA_WORDS; ++w)
            a->member[m].host[w] = (w + 1u) * 2654435761u ^ (stripe * 40503u + m * 977u);
}

static int parity_errors(const struct pa_array *a)
{
    int bad = 0;
    for (int w = 0; w < PA_WORDS; ++w) {
        uint32_t want = 0;
        for (int m = 0; m < PA_MEMBERS; ++m) want ^= a->member[m].host[w];
        bad += want != a->h_parity[w];
    }
    return bad;
}

int main(void)
{
    struct pa_array array;
    int wrong = 0, rc = pa_open(&array);
    if (rc != PA_OK) {
        printf("open: %s\nLABEL UNOBSERVED\n", pa_strerror(rc));
        return 1;
    }

    array.member[3].state = MEMBER_OFFLINE; /* disk 3 was pulled before we came up */
    rc = pa_build(&array);
    printf("first build: %s\n", pa_strerror(rc));

    array.member[3].state = MEMBER_ONLINE;  /* the operator put in a spare */
    if (rc == PA_EOFFLINE) {
        rc = pa_build(&array);
        printf("second build: %s (%s)\n", pa_strerror(rc), cudaGetErrorString(array.err));
    }
    for (uint32_t stripe = 0; rc == PA_OK && stripe < 6; ++stripe) {
        fill_stripe(&array, stripe);
        rc = pa_flush_stripe(&array);
        wrong += parity_errors(&array);
    }
    printf("%d wrong parity words\n", wrong);
    pa_close(&array);
    puts(rc == PA_OK && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
