// minimal ggml-like backend: a decode step is a cgraph, the CUDA backend keeps an exec per context
#include <cuda_runtime.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GG_ASSERT(x) do { if (!(x)) { fprintf(stderr, "%s:%d: GG_ASSERT(%s) failed\n", __FILE__, __LINE__, #x); abort(); } } while (0)
#define CUDA_CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "CUDA error: %s\n  %s\n", cudaGetErrorString(e_), #x); abort(); } } while (0)

#define GG_MAX_SRC   2
#define GG_MAX_NODES 8

enum gg_op { GG_OP_NONE, GG_OP_RMS_NORM, GG_OP_ADD, GG_OP_COUNT };

struct gg_tensor {
    enum gg_op op;
    int64_t ne[2];
    float * data;
    struct gg_tensor * src[GG_MAX_SRC];
};

struct gg_cgraph {
    int n_nodes;
    struct gg_tensor * nodes[GG_MAX_NODES];
};

typedef struct gg_backend * gg_backend_t;

struct gg_backend_i {
    const char * (*get_name)(gg_backend_t backend);
    void (*free)(gg_backend_t backend);
    void (*set_tensor)(gg_backend_t backend, struct gg_tensor * t, const void * data, size_t size);
    void (*get_tensor)(gg_backend_t backend, const struct gg_tensor * t, void * data, size_t size);
    void (*graph_compute)(gg_backend_t backend, struct gg_cgraph * cgraph);
};

struct gg_backend {
    struct gg_backend_i iface;
    void * context;
};

struct gg_node_props {
    enum gg_op op;
    int64_t ne[2];
    const void * data;
    const void * src_data[GG_MAX_SRC];
};

struct gg_cuda_context {
    cudaStream_t stream;
    cudaGraphExec_t exec;
    int n_props;
    struct gg_node_props props[GG_MAX_NODES];
};

static __global__ void rms_norm_f32(const float * x, float * dst, int ncols) {
    const float * row = x + (int64_t) blockIdx.x * ncols;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < ncols; i += 32) {
        sum += row[i] * row[i];
    }
    for (int m = 16; m > 0; m >>= 1) {
        sum += __shfl_xor_sync(0xffffffff, sum, m, 32);
    }
    const float scale = rsqrtf(sum / ncols + 1e-6f);
    for (int i = threadIdx.x; i < ncols; i += 32) {
        dst[(int64_t) blockIdx.x * ncols + i] = scale * row[i];
    }
}

static __global__ void add_f32(const float * a, const float * b, float * dst, int ncols) {
    for (int i = threadIdx.x; i < ncols; i += blockDim.x) {
        dst[(int64_t) blockIdx.x * ncols + i] = a[(int64_t) blockIdx.x * ncols + i] + b[i];
    }
}

static void op_rms_norm(struct gg_cuda_context * ctx, struct gg_tensor * dst) {
    const struct gg_tensor * src0 = dst->src[0];
    const int ncols = (int) dst->ne[0];
    const int nrows = (int) dst->ne[1];
    rms_norm_f32<<<nrows, 32, 0, ctx->stream>>>(src0->data, dst->data, ncols); // HAZARD dynamic_shape
    CUDA_CHECK(cudaGetLastError());
}

static void op_add(struct gg_cuda_context * ctx, struct gg_tensor * dst) {
    const struct gg_tensor * src0 = dst->src[0];
    const struct gg_tensor * src1 = dst->src[1];
    const dim3 block_nums((unsigned) dst->ne[1], 1, 1);
    add_f32<<<block_nums, 64, 0, ctx->stream>>>(src0->data, src1->data, dst->data, (int) dst->ne[0]); // HAZARD dynamic_shape
    CUDA_CHECK(cudaGetLastError());
}

typedef void (*gg_cuda_op_t)(struct gg_cuda_context * ctx, struct gg_tensor * dst);
static const gg_cuda_op_t gg_cuda_ops[GG_OP_COUNT] = { NULL, op_rms_norm, op_add };

static bool node_matches(const struct gg_tensor * node, const struct gg_node_props * p) {
    if (node->op != p->op || node->data != p->data) {
        return false;
    }
    if (node->ne[0] != p->ne[0]) {
        return false;
    }
    for (int i = 0; i < GG_MAX_SRC; i++) {
        if ((node->src[i] ? node->src[i]->data : NULL) != p->src_data[i]) {
            return false;
        }
    }
    return true;
}

static bool graph_update_required(struct gg_cuda_context * ctx, const struct gg_cgraph * cgraph) {
    bool required = ctx->exec == NULL || ctx->n_props != cgraph->n_nodes;
    for (int i = 0; i < cgraph->n_nodes; i++) {
        const struct gg_tensor * node = cgraph->nodes[i];
        struct gg_node_props * p = &ctx->props[i];
        required = required || !node_matches(node, p);
        p->op = node->op;
        p->data = node->data;
        memcpy(p->ne, node->ne, sizeof(p->ne));
        for (int s = 0; s < GG_MAX_SRC; s++) {
            p->src_data[s] = node->src[s] ? node->src[s]->data : NULL;
        }
    }
    ctx->n_props = cgraph->n_nodes;
    return required;
}

static void cuda_graph_compute(gg_backend_t backend, struct gg_cgraph * cgraph) {
    struct gg_cuda_context * ctx = (struct gg_cuda_context *) backend->context;
    if (graph_update_required(ctx, cgraph)) {
        cudaGraph_t graph = NULL;
        CUDA_CHECK(cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeRelaxed));
        for (int i = 0; i < cgraph->n_nodes; i++) {
            gg_cuda_ops[cgraph->nodes[i]->op](ctx, cgraph->nodes[i]);
        }
        CUDA_CHECK(cudaStreamEndCapture(ctx->stream, &graph));
        if (ctx->exec != NULL) {
            CUDA_CHECK(cudaGraphExecDestroy(ctx->exec));
        }
        CUDA_CHECK(cudaGraphInstantiate(&ctx->exec, graph, 0));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    CUDA_CHECK(cudaGraphLaunch(ctx->exec, ctx->stream));
}

static const char * cuda_get_name(gg_backend_t) { return "CUDA0"; }

static void cuda_set_tensor(gg_backend_t backend, struct gg_tensor * t, const void * data, size_t size) {
    struct gg_cuda_context * ctx = (struct gg_cuda_context *) backend->context;
    CUDA_CHECK(cudaMemcpyAsync(t->data, data, size, cudaMemcpyHostToDevice, ctx->stream));
    CUDA_CHECK(cudaStreamSynchronize(ctx->stream));
}

static void cuda_get_tensor(gg_backend_t backend, const struct gg_tensor * t, void * data, size_t size) {
    struct gg_cuda_context * ctx = (struct gg_cuda_context *) backend->context;
    CUDA_CHECK(cudaMemcpyAsync(data, t->data, size, cudaMemcpyDeviceToHost, ctx->stream));
    CUDA_CHECK(cudaStreamSynchronize(ctx->stream));
}

static void cuda_free(gg_backend_t backend) {
    struct gg_cuda_context * ctx = (struct gg_cuda_context *) backend->context;
    CUDA_CHECK(cudaGraphExecDestroy(ctx->exec));
    CUDA_CHECK(cudaStreamDestroy(ctx->stream));
    free(ctx);
}

int main(void) {
    enum { N_EMBD = 64, N_CTX = 8 };
    static float h_in[N_EMBD * N_CTX], h_bias[N_EMBD], h_out[N_EMBD * N_CTX];
    struct gg_tensor inp = {}, bias = {}, norm = {}, out = {};
    struct gg_backend be = {{cuda_get_name, cuda_free, cuda_set_tensor, cuda_get_tensor, cuda_graph_compute}, NULL};
    struct gg_cuda_context * ctx = (struct gg_cuda_context *) calloc(1, sizeof(*ctx));
    GG_ASSERT(ctx != NULL);
    be.context = ctx;
    CUDA_CHECK(cudaStreamCreateWithFlags(&ctx->stream, cudaStreamNonBlocking));

    struct gg_tensor * all[] = { &inp, &norm, &out, &bias };
    for (struct gg_tensor * t : all) {
        CUDA_CHECK(cudaMalloc(&t->data, sizeof(h_in)));
        t->ne[0] = N_EMBD;
        t->ne[1] = 1;
    }
    CUDA_CHECK(cudaMemsetAsync(out.data, 0, sizeof(h_out), ctx->stream));
    norm.op = GG_OP_RMS_NORM; norm.src[0] = &inp;
    out.op = GG_OP_ADD; out.src[0] = &norm; out.src[1] = &bias;
    struct gg_cgraph decode = { 2, { &norm, &out } };
    for (int i = 0; i < N_EMBD; i++) {
        h_bias[i] = 3.0f;
    }
    be.iface.set_tensor(&be, &bias, h_bias, sizeof(h_bias));

    const int batches[] = { 2, 5, 1 };
    int right = 0;
    for (int n_tokens : batches) {
        for (int i = 0; i < N_EMBD * n_tokens; i++) {
            h_in[i] = 1.0f + n_tokens;
        }
        inp.ne[1] = norm.ne[1] = out.ne[1] = n_tokens;
        be.iface.set_tensor(&be, &inp, h_in, sizeof(float) * N_EMBD * n_tokens);
        be.iface.graph_compute(&be, &decode);
        be.iface.get_tensor(&be, &out, h_out, sizeof(h_out));
        right += fabsf(h_out[N_EMBD * n_tokens - 1] - 4.0f) < 1e-3f;
    }
    be.iface.free(&be);
    puts(right == 2 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
