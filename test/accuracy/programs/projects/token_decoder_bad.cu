// token_decoder: single sequence decode loop of a small inference engine.
// One graph per token is built, then folded into the live executable when the shape of the graph allows it.
#include <cuda_runtime.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define DIM        64
#define MAX_CTX    48
#define SPLIT_FROM 9   // number of kv entries from which attention runs in two passes
#define N_SPLIT    4

#define ENGINE_CHECK(x)                                                                        \
    do {                                                                                       \
        cudaError_t err_ = (x);                                                                \
        if (err_ != cudaSuccess) {                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));      \
            g_errors++;                                                                        \
        }                                                                                      \
    } while (0)

static int g_errors = 0;

struct engine_ctx {
    cudaStream_t    stream;
    cudaGraphExec_t exec;
    int             n_past;
    int             n_updated;
    int           * h_token;    // pinned
    float         * h_out;      // pinned
    int           * d_token;
    float         * d_x;
    float         * d_cache;    // [MAX_CTX][DIM]
    float         * d_part;     // [N_SPLIT][DIM]
    float         * d_out;
};

__global__ void k_embed(const int * tok, float * x) {
    x[threadIdx.x] = 1.0f + (float) (*tok % 7) + (float) (threadIdx.x % 3);
}

__global__ void k_append(const float * x, float * cache, int pos) {
    cache[pos * DIM + threadIdx.x] = x[threadIdx.x];
}

__global__ void k_attn_small(const float * cache, float * out, int n_kv) {
    float acc = 0.0f;
    for (int i = 0; i < n_kv; i++) acc += cache[i * DIM + threadIdx.x];
    out[threadIdx.x] = acc;
}

__global__ void k_attn_split(const float * cache, float * part, int n_kv) {
    float acc = 0.0f;
    for (int i = blockIdx.x; i < n_kv; i += gridDim.x) acc += cache[i * DIM + threadIdx.x];
    part[blockIdx.x * DIM + threadIdx.x] = acc;
}

__global__ void k_attn_combine(const float * part, float * out) {
    float acc = 0.0f;
    for (int s = 0; s < N_SPLIT; s++) acc += part[s * DIM + threadIdx.x];
    out[threadIdx.x] = acc;
}

static void engine_init(engine_ctx * ctx) {
    *ctx = engine_ctx{};
    ENGINE_CHECK(cudaStreamCreateWithFlags(&ctx->stream, cudaStreamNonBlocking));
    ENGINE_CHECK(cudaMallocHost((void **) &ctx->h_token, sizeof(int)));
    ENGINE_CHECK(cudaMallocHost((void **) &ctx->h_out, DIM * sizeof(float)));
    ENGINE_CHECK(cudaMalloc((void **) &ctx->d_token, sizeof(int)));
    ENGINE_CHECK(cudaMalloc((void **) &ctx->d_x, DIM * sizeof(float)));
    ENGINE_CHECK(cudaMalloc((void **) &ctx->d_cache, MAX_CTX * DIM * sizeof(float)));
    ENGINE_CHECK(cudaMalloc((void **) &ctx->d_part, N_SPLIT * DIM * sizeof(float)));
    ENGINE_CHECK(cudaMalloc((void **) &ctx->d_out, DIM * sizeof(float)));
}

static void engine_free(engine_ctx * ctx) {
    if (ctx->exec) ENGINE_CHECK(cudaGraphExecDestroy(ctx->exec));
    ENGINE_CHECK(cudaFree(ctx->d_token));
    ENGINE_CHECK(cudaFree(ctx->d_x));
    ENGINE_CHECK(cudaFree(ctx->d_cache));
    ENGINE_CHECK(cudaFree(ctx->d_part));
    ENGINE_CHECK(cudaFree(ctx->d_out));
    ENGINE_CHECK(cudaFreeHost(ctx->h_token));
    ENGINE_CHECK(cudaFreeHost(ctx->h_out));
    ENGINE_CHECK(cudaStreamDestroy(ctx->stream));
}

// Enqueue everything for the token at position n_past. Positions go in by value: the caller captures per token.
static void engine_build(engine_ctx * ctx) {
    const int n_kv = ctx->n_past + 1;
    assert(n_kv <= MAX_CTX);
    ENGINE_CHECK(cudaMemcpyAsync(ctx->d_token, ctx->h_token, sizeof(int), cudaMemcpyHostToDevice, ctx->stream));
    k_embed<<<1, DIM, 0, ctx->stream>>>(ctx->d_token, ctx->d_x);
    k_append<<<1, DIM, 0, ctx->stream>>>(ctx->d_x, ctx->d_cache, ctx->n_past);
    if (n_kv < SPLIT_FROM) {
        k_attn_small<<<1, DIM, 0, ctx->stream>>>(ctx->d_cache, ctx->d_out, n_kv);
    } else {
        k_attn_split<<<N_SPLIT, DIM, 0, ctx->stream>>>(ctx->d_cache, ctx->d_part, n_kv);
        k_attn_combine<<<1, DIM, 0, ctx->stream>>>(ctx->d_part, ctx->d_out);
    }
    ENGINE_CHECK(cudaMemcpyAsync(ctx->h_out, ctx->d_out, DIM * sizeof(float), cudaMemcpyDeviceToHost, ctx->stream));
}

static void engine_refresh_exec(engine_ctx * ctx, cudaGraph_t graph) {
    if (ctx->exec == nullptr) {
        ENGINE_CHECK(cudaGraphInstantiate(&ctx->exec, graph, 0));
        return;
    }
    cudaGraphExecUpdateResultInfo info;
    (void) cudaGraphExecUpdate(ctx->exec, graph, &info); // HAZARD ignored
    (void) cudaGetLastError(); // do not let the update's status leak into the launch checks
    ctx->n_updated++;
}

static const float * engine_eval(engine_ctx * ctx, int token) {
    assert(ctx->n_past < MAX_CTX);
    *ctx->h_token = token;

    cudaGraph_t graph = nullptr;
    ENGINE_CHECK(cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeThreadLocal));
    engine_build(ctx);
    ENGINE_CHECK(cudaStreamEndCapture(ctx->stream, &graph));
    assert(graph != nullptr);

    engine_refresh_exec(ctx, graph);
    ENGINE_CHECK(cudaGraphDestroy(graph));
    ENGINE_CHECK(cudaGraphLaunch(ctx->exec, ctx->stream));
    ENGINE_CHECK(cudaStreamSynchronize(ctx->stream));
    ctx->n_past++;
    return ctx->h_out;
}

int main() {
    engine_ctx ctx;
    engine_init(&ctx);

    float ref[DIM] = {0};
    int   n_wrong  = 0;
    for (int i = 0; i < 24; i++) {
        const int     token = (i * 5 + 3) % 31;
        const float * out   = engine_eval(&ctx, token);
        for (int d = 0; d < DIM; d++) {
            ref[d] += 1.0f + (float) (token % 7) + (float) (d % 3);
            if (out[d] != ref[d]) n_wrong++;
        }
    }
    printf("tokens: 24, updates: %d, wrong values: %d, errors: %d\n", ctx.n_updated, n_wrong, g_errors);
    engine_free(&ctx);

    printf("%s\n", n_wrong > 0 || g_errors > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
