#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#define FG_CHECK(x)                                                                                  \
    do {                                                                                             \
        cudaError_t err_ = (x);                                                                      \
        if (err_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s failed at %s:%d: %s\n", #x, __FILE__, __LINE__, cudaGetErrorString(err_)); \
            abort();                                                                                 \
        }                                                                                            \
    } while (0)

#define FG_FEATURES 16

static __global__ void fg_aggregate(const float * edges, float * hidden, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0.0f;
    for (int f = 0; f < FG_FEATURES; ++f) acc += edges[i * FG_FEATURES + f];
    hidden[i] = acc;
}

static __global__ void fg_head(const float * hidden, float * score, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) score[i] = hidden[i] * 0.125f + 1.0f;
}

struct fg_arena {
    char *   base = nullptr;
    size_t   cap  = 0;
    uint32_t gen  = 0;
};

enum fg_graph_state { FG_GRAPH_COLD, FG_GRAPH_WARM, FG_GRAPH_READY };

struct fg_graph {
    fg_graph_state  state = FG_GRAPH_COLD;
    cudaGraphExec_t exec  = nullptr;
    uint32_t        gen   = 0;
};

struct fg_context {
    cudaStream_t             stream = nullptr;
    fg_arena                 arena;
    std::map<int, fg_graph>  graphs;
};

struct fg_layout {
    float * edges;
    float * hidden;
    float * score;
    size_t  total;
};

static fg_layout fg_plan(char * base, int n) {
    const size_t row = ((size_t) n * sizeof(float) + 255) & ~(size_t) 255;
    fg_layout l;
    l.edges  = (float *) base;
    l.hidden = (float *) (base + FG_FEATURES * row);
    l.score  = (float *) (base + (FG_FEATURES + 1) * row);
    l.total  = (FG_FEATURES + 2) * row;
    return l;
}

static void fg_arena_reserve(fg_context * ctx, size_t need) {
    fg_arena & a = ctx->arena;
    if (need <= a.cap) {
        return;
    }
    FG_CHECK(cudaStreamSynchronize(ctx->stream));
    char * grown = nullptr;
    FG_CHECK(cudaMalloc((void **) &grown, need * 2));
    if (a.base) {
        FG_CHECK(cudaFree(a.base));
    }
    a.base = grown;
    a.cap  = need * 2;
    a.gen++;
}

static void fg_compute(fg_context * ctx, const fg_layout & l, int n) {
    const int grid = (n + 127) / 128;
    fg_aggregate<<<grid, 128, 0, ctx->stream>>>(l.edges, l.hidden, n);
    FG_CHECK(cudaGetLastError());
    fg_head<<<grid, 128, 0, ctx->stream>>>(l.hidden, l.score, n);
    FG_CHECK(cudaGetLastError());
}

static void fg_graph_record(fg_context * ctx, fg_graph & g, const fg_layout & l, int n) {
    if (g.exec) {
        FG_CHECK(cudaGraphExecDestroy(g.exec));
        g.exec = nullptr;
    }
    cudaGraph_t graph = nullptr;
    FG_CHECK(cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeRelaxed));
    fg_compute(ctx, l, n);
    FG_CHECK(cudaStreamEndCapture(ctx->stream, &graph));
    FG_CHECK(cudaGraphInstantiate(&g.exec, graph, 0));
    FG_CHECK(cudaGraphDestroy(graph));
    g.gen   = ctx->arena.gen;
    g.state = FG_GRAPH_READY;
}

static cudaError_t fg_score(fg_context * ctx, const std::vector<float> & edges, std::vector<float> & out) {
    const int n = (int) edges.size() / FG_FEATURES;
    fg_arena_reserve(ctx, fg_plan(nullptr, n).total);
    const fg_layout l = fg_plan(ctx->arena.base, n);

    cudaError_t rc = cudaMemcpyAsync(l.edges, edges.data(), edges.size() * sizeof(float), cudaMemcpyHostToDevice, ctx->stream);
    if (rc != cudaSuccess) return rc;
    rc = cudaMemsetAsync(l.score, 0, n * sizeof(float), ctx->stream);
    if (rc != cudaSuccess) return rc;

    fg_graph & g = ctx->graphs[n];
    if (g.state == FG_GRAPH_READY && g.gen != ctx->arena.gen) {
        g.state = FG_GRAPH_WARM;
    }
    switch (g.state) {
        case FG_GRAPH_COLD:
            fg_compute(ctx, l, n);
            g.state = FG_GRAPH_WARM;
            break;
        case FG_GRAPH_WARM:
            fg_graph_record(ctx, g, l, n);
            [[fallthrough]];
        case FG_GRAPH_READY:
            rc = cudaGraphLaunch(g.exec, ctx->stream);
            break;
    }
    if (rc != cudaSuccess) return rc;

    out.assign(n, -1.0f);
    rc = cudaMemcpyAsync(out.data(), l.score, n * sizeof(float), cudaMemcpyDeviceToHost, ctx->stream);
    if (rc != cudaSuccess) return rc;
    return cudaStreamSynchronize(ctx->stream);
}

static void fg_free(fg_context * ctx) {
    for (auto & kv : ctx->graphs) {
        if (kv.second.exec) FG_CHECK(cudaGraphExecDestroy(kv.second.exec));
    }
    FG_CHECK(cudaFree(ctx->arena.base));
    FG_CHECK(cudaStreamDestroy(ctx->stream));
}

int main() {
    fg_context ctx;
    FG_CHECK(cudaStreamCreateWithFlags(&ctx.stream, cudaStreamNonBlocking));

    const int batches[] = {4096, 4096, 4096, 300000, 4096, 4096, 300000, 300000};
    cudaError_t rc = cudaSuccess;
    bool right = true;
    for (int b = 0; b < 8 && rc == cudaSuccess; ++b) {
        std::vector<float> score;
        rc = fg_score(&ctx, std::vector<float>((size_t) batches[b] * FG_FEATURES, (float) b), score);
        for (float v : score) right = right && std::fabs(v - (2.0f * b + 1.0f)) < 1e-4f;
    }
    if (rc == cudaSuccess) fg_free(&ctx);
    std::puts(rc == cudaSuccess && right ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
