/* Domain decomposition on one device: two subdomains trade edge cells through a
 * transport that is chosen at run time (table of functions, opaque context). */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 1024 /* interior cells per subdomain; one ghost at each end */

static int report(cudaError_t err, const char *what)
{
    if (err == cudaSuccess)
        return 0;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(err));
    return -1;
}
#define OK_OR(label, call) do { if (report((call), #call) != 0) goto label; } while (0)

__global__ void pack_edges(const int *left, const int *right, int *mailbox)
{
    mailbox[0] = left[CELLS];  /* last interior cell of the left domain */
    mailbox[1] = right[1];     /* first interior cell of the right domain */
}

__global__ void unpack_edges(int *left, int *right, const int *mailbox)
{
    right[0] = mailbox[0];
    left[CELLS + 1] = mailbox[1];
}

__global__ void advance(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i <= CELLS)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) % 1000;
}

struct domain {
    int *cur, *next;
};

struct transport {
    const char *name;
    int (*post)(void *ctx, struct domain *d, cudaStream_t stream);
    int (*complete)(void *ctx, struct domain *d, cudaStream_t stream);
};

struct mailbox_ctx {
    int *mailbox;
    cudaStream_t copier;
    cudaEvent_t ready;
    cudaEvent_t packed;
};

static int mailbox_post(void *opaque, struct domain *d, cudaStream_t stream)
{
    struct mailbox_ctx *ctx = (struct mailbox_ctx *)opaque;
    (void)stream;
    pack_edges<<<1, 1, 0, ctx->copier>>>(d[0].cur, d[1].cur, ctx->mailbox); // HAZARD escape
    return report(cudaGetLastError(), "pack_edges");
}

static int mailbox_complete(void *opaque, struct domain *d, cudaStream_t stream)
{
    struct mailbox_ctx *ctx = (struct mailbox_ctx *)opaque;
    unpack_edges<<<1, 1, 0, stream>>>(d[0].cur, d[1].cur, ctx->mailbox);
    return report(cudaGetLastError(), "unpack_edges");
}

static const struct transport mailbox_transport = {"mailbox", mailbox_post, mailbox_complete};

static int enqueue_half_step(const struct transport *t, void *ctx, struct domain *d, cudaStream_t stream)
{
    if (t->post(ctx, d, stream) != 0 || t->complete(ctx, d, stream) != 0)
        return -1;
    for (int k = 0; k < 2; ++k) {
        advance<<<CELLS / 128, 128, 0, stream>>>(d[k].cur, d[k].next);
        int *swap = d[k].cur;
        d[k].cur = d[k].next;
        d[k].next = swap;
    }
    return report(cudaGetLastError(), "advance");
}

/* One replay is two half steps, so that the buffers end where they began. */
static int build_step(const struct transport *t, void *ctx, struct domain *d, cudaStream_t stream,
                      cudaGraphExec_t *exec)
{
    cudaGraph_t graph = NULL;
    int rc = -1, enqueued;
    OK_OR(done, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    enqueued = enqueue_half_step(t, ctx, d, stream);
    if (enqueued == 0)
        enqueued = enqueue_half_step(t, ctx, d, stream);
    OK_OR(done, cudaStreamEndCapture(stream, &graph));
    if (enqueued != 0)
        goto done;
    OK_OR(done, cudaGraphInstantiate(exec, graph, 0));
    rc = 0;
done:
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

/* The joined line of 2*CELLS cells; its outer ghosts stay zero. */
static void reference_half_step(int *line)
{
    static int old[2 * CELLS + 2];
    memcpy(old, line, sizeof old);
    for (int i = 1; i <= 2 * CELLS; ++i)
        line[i] = (old[i - 1] + old[i] + old[i + 1]) % 1000;
}

int main(void)
{
    static int line[2 * CELLS + 2], got[CELLS + 2];
    const size_t bytes = (CELLS + 2) * sizeof(int);
    struct domain d[2];
    struct mailbox_ctx ctx;
    cudaStream_t stream = NULL;
    cudaGraphExec_t exec = NULL;
    int wrong = 0, finished = 0;

    memset(&ctx, 0, sizeof ctx);
    memset(d, 0, sizeof d);
    for (int i = 1; i <= 2 * CELLS; ++i)
        line[i] = (i * 37) % 1000;
    OK_OR(out, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK_OR(out, cudaStreamCreateWithFlags(&ctx.copier, cudaStreamNonBlocking));
    OK_OR(out, cudaEventCreateWithFlags(&ctx.ready, cudaEventDisableTiming));
    OK_OR(out, cudaEventCreateWithFlags(&ctx.packed, cudaEventDisableTiming));
    OK_OR(out, cudaMalloc((void **)&ctx.mailbox, 2 * sizeof(int)));
    for (int k = 0; k < 2; ++k) {
        OK_OR(out, cudaMalloc((void **)&d[k].cur, bytes));
        OK_OR(out, cudaMalloc((void **)&d[k].next, bytes));
        OK_OR(out, cudaMemset(d[k].cur, 0, bytes));
        OK_OR(out, cudaMemset(d[k].next, 0, bytes));
        OK_OR(out, cudaMemcpy(d[k].cur + 1, line + 1 + k * CELLS, CELLS * sizeof(int), cudaMemcpyHostToDevice));
    }
    OK_OR(out, cudaDeviceSynchronize());
    if (build_step(&mailbox_transport, &ctx, d, stream, &exec) != 0)
        goto out;

    for (int step = 0; step < 4; ++step) {
        int bad = 0;
        OK_OR(out, cudaGraphLaunch(exec, stream));
        reference_half_step(line);
        reference_half_step(line);
        for (int k = 0; k < 2; ++k) {
            OK_OR(out, cudaMemcpyAsync(got, d[k].cur, bytes, cudaMemcpyDeviceToHost, stream));
            OK_OR(out, cudaStreamSynchronize(stream));
            for (int i = 1; i <= CELLS; ++i)
                bad += got[i] != line[i + k * CELLS];
        }
        printf("step %d over %s: %d wrong cells\n", step, mailbox_transport.name, bad);
        wrong += bad != 0;
    }
    finished = 1;
out:
    if (stream)
        cudaStreamSynchronize(stream);
    if (exec)
        cudaGraphExecDestroy(exec);
    for (int k = 0; k < 2; ++k) {
        cudaFree(d[k].cur);
        cudaFree(d[k].next);
    }
    cudaFree(ctx.mailbox);
    if (ctx.packed) cudaEventDestroy(ctx.packed);
    if (ctx.ready) cudaEventDestroy(ctx.ready);
    if (ctx.copier) cudaStreamDestroy(ctx.copier);
    if (stream) cudaStreamDestroy(stream);
    puts(finished && wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
