// token_decoder: one-layer toy decoder with a growing KV cache. The per-token compute is
// replayed from a CUDA graph once it has been recorded.
#include <cuda_runtime.h>
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_EMBD   64
#define KV_CHUNK 4
#define N_TOKENS 11

struct dec_context {
    cudaStream_t stream;
    cudaError_t  status;      // first error seen, cudaSuccess otherwise

    float * kv;               // [kv_cap][N_EMBD], device
    int     kv_cap;
    int     n_past;

    float * x;                // [N_EMBD], device
    float * out;              // [N_EMBD], device
    int   * d_pos;            // position of the token being decoded, device

    float * h_x;              // pinned mirrors
    float * h_out;
    int   * h_pos;

    cudaGraph_t     graph;
    cudaGraphExec_t exec;
    bool            graph_ready;
    int             n_captures;
};

static void dec_note(dec_context * ctx, cudaError_t e, const char * what, int line) {
    if (e != cudaSuccess) {
        fprintf(stderr, "decoder: %s failed at line %d: %s\n", what, line, cudaGetErrorString(e));
        if (ctx->status == cudaSuccess) {
            ctx->status = e;
        }
    }
}
#define DEC_CUDA(ctx, call) dec_note((ctx), (call), #call, __LINE__)

__global__ void k_store_kv(float * kv, const float * x, const int * pos) {
    const int i = threadIdx.x;
    kv[(size_t) *pos * N_EMBD + i] = x[i];
}

__global__ void k_attend(const float * kv, float * out, int n_kv) {
    const int i = threadIdx.x;
    float acc = 0.0f;
    for (int c = 0; c < n_kv; ++c) {
        acc += kv[(size_t) c * N_EMBD + i] * (float) (c + 1);
    }
    out[i] = acc;
}

static float embed(int token, int i) {
    return (float) ((token * 7 + i * 3) % 13) - 6.0f;
}

static void dec_init(dec_context * ctx) {
    memset(ctx, 0, sizeof(*ctx));
    ctx->kv_cap = KV_CHUNK;
    DEC_CUDA(ctx, cudaStreamCreateWithFlags(&ctx->stream, cudaStreamNonBlocking));
    DEC_CUDA(ctx, cudaMalloc((void **) &ctx->kv, sizeof(float) * N_EMBD * ctx->kv_cap));
    DEC_CUDA(ctx, cudaMalloc((void **) &ctx->x, sizeof(float) * N_EMBD));
    DEC_CUDA(ctx, cudaMalloc((void **) &ctx->out, sizeof(float) * N_EMBD));
    DEC_CUDA(ctx, cudaMalloc((void **) &ctx->d_pos, sizeof(int)));
    DEC_CUDA(ctx, cudaMallocHost((void **) &ctx->h_x, sizeof(float) * N_EMBD));
    DEC_CUDA(ctx, cudaMallocHost((void **) &ctx->h_out, sizeof(float) * N_EMBD));
    DEC_CUDA(ctx, cudaMallocHost((void **) &ctx->h_pos, sizeof(int)));
}

static void dec_drop_graph(dec_context * ctx) {
    if (ctx->exec)  { DEC_CUDA(ctx, cudaGraphExecDestroy(ctx->exec)); ctx->exec = NULL; }
    if (ctx->graph) { DEC_CUDA(ctx, cudaGraphDestroy(ctx->graph));    ctx->graph = NULL; }
    ctx->graph_ready = false;
}

// the stream is idle whenever this runs: dec_decode() waits for each token
static void dec_kv_grow(dec_context * ctx) {
    const int    new_cap = ctx->kv_cap + KV_CHUNK;
    const size_t used    = sizeof(float) * N_EMBD * (size_t) ctx->n_past;
    float * bigger = NULL;
    assert(ctx->n_past <= ctx->kv_cap);
    DEC_CUDA(ctx, cudaMalloc((void **) &bigger, sizeof(float) * N_EMBD * new_cap));
    DEC_CUDA(ctx, cudaMemcpyAsync(bigger, ctx->kv, used, cudaMemcpyDeviceToDevice, ctx->stream));
    DEC_CUDA(ctx, cudaStreamSynchronize(ctx->stream));
    DEC_CUDA(ctx, cudaFree(ctx->kv));  // HAZARD dangling #kv
    ctx->kv     = bigger;
    ctx->kv_cap = new_cap;
}

static void dec_build(dec_context * ctx) {
    cudaStream_t s    = ctx->stream;
    const int    n_kv = ctx->n_past + 1;
    DEC_CUDA(ctx, cudaMemcpyAsync(ctx->x, ctx->h_x, sizeof(float) * N_EMBD, cudaMemcpyHostToDevice, s));
    DEC_CUDA(ctx, cudaMemcpyAsync(ctx->d_pos, ctx->h_pos, sizeof(int), cudaMemcpyHostToDevice, s));
    k_store_kv<<<1, N_EMBD, 0, s>>>(ctx->kv, ctx->x, ctx->d_pos);  // HAZARD dangling #kv
    k_attend<<<1, N_EMBD, 0, s>>>(ctx->kv, ctx->out, n_kv);  // HAZARD frozen #nkv
    DEC_CUDA(ctx, cudaMemcpyAsync(ctx->h_out, ctx->out, sizeof(float) * N_EMBD, cudaMemcpyDeviceToHost, s));
}

static void dec_capture(dec_context * ctx) {
    assert(!ctx->graph_ready);
    DEC_CUDA(ctx, cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeThreadLocal));
    dec_build(ctx);
    DEC_CUDA(ctx, cudaStreamEndCapture(ctx->stream, &ctx->graph));
    if (ctx->status != cudaSuccess) {
        return;
    }
    DEC_CUDA(ctx, cudaGraphInstantiate(&ctx->exec, ctx->graph, 0));
    ctx->graph_ready = ctx->status == cudaSuccess;
    ctx->n_captures++;
}

static bool dec_decode(dec_context * ctx, int token) {
    if (ctx->n_past == ctx->kv_cap) {
        dec_kv_grow(ctx);
    }
    assert(ctx->n_past < ctx->kv_cap);
    for (int i = 0; i < N_EMBD; ++i) {
        ctx->h_x[i] = embed(token, i);
    }
    *ctx->h_pos = ctx->n_past;
    if (!ctx->graph_ready) {
        dec_capture(ctx);
    }
    if (ctx->status != cudaSuccess) {
        return false;
    }
    DEC_CUDA(ctx, cudaGraphLaunch(ctx->exec, ctx->stream));
    DEC_CUDA(ctx, cudaStreamSynchronize(ctx->stream));
    ctx->n_past++;
    return ctx->status == cudaSuccess;
}

static void dec_free(dec_context * ctx) {
    dec_drop_graph(ctx);
    DEC_CUDA(ctx, cudaFree(ctx->kv));
    DEC_CUDA(ctx, cudaFree(ctx->x));
    DEC_CUDA(ctx, cudaFree(ctx->out));
    DEC_CUDA(ctx, cudaFree(ctx->d_pos));
    DEC_CUDA(ctx, cudaFreeHost(ctx->h_x));
    DEC_CUDA(ctx, cudaFreeHost(ctx->h_out));
    DEC_CUDA(ctx, cudaFreeHost(ctx->h_pos));
    DEC_CUDA(ctx, cudaStreamDestroy(ctx->stream));
}

int main() {
    static float expect[N_EMBD];
    dec_context ctx;
    dec_init(&ctx);

    int n_wrong = 0;
    for (int t = 0; t < N_TOKENS; ++t) {
        const int token = 17 + 5 * t;
        if (!dec_decode(&ctx, token)) {
            break;
        }
        for (int i = 0; i < N_EMBD; ++i) {
            expect[i] += embed(token, i) * (float) (t + 1);
            if (fabsf(expect[i] - ctx.h_out[i]) > 1e-3f) {
                n_wrong++;
                break;
            }
        }
    }
    printf("tokens %d, captures %d, wrong %d\n", ctx.n_past, ctx.n_captures, n_wrong);
    dec_free(&ctx);
    const bool misbehaved = ctx.status != cudaSuccess || n_wrong > 0;
    printf(misbehaved ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
