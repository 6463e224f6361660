#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#define TIDE_CHECK(expr)                                                              \
    do {                                                                              \
        cudaError_t e_ = (expr);                                                      \
        if (e_ != cudaSuccess) tide_abort(#expr, __LINE__, e_);                       \
    } while (0)

[[noreturn]] static void tide_abort(const char * what, int line, cudaError_t e) {
    std::printf("%s:%d %s\nLABEL REFUTED: %s\n", __FILE__, line, what, cudaGetErrorString(e));
    std::exit(0);
}

enum tide_op { TIDE_OP_DATUM, TIDE_OP_SYNTH };

struct tide_node {
    tide_op op;
    float * src;
    float * dst;
    int     ne;
    float   op_param;
};

struct tide_plan {
    std::vector<tide_node> nodes;
};

struct tide_node_props {
    tide_op op;
    void *  src;
    void *  dst;
};

struct tide_graph_entry {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    std::vector<tide_node_props> props;
    ~tide_graph_entry() {
        if (exec) cudaGraphExecDestroy(exec);
        if (graph) cudaGraphDestroy(graph);
    }
};

struct tide_context {
    int device = 0;
    cudaStream_t stream = nullptr;
    std::unordered_map<const void *, std::unique_ptr<tide_graph_entry>> graphs;

    explicit tide_context(int dev) : device(dev) {
        TIDE_CHECK(cudaSetDevice(dev));
        TIDE_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    ~tide_context() {
        graphs.clear();
        cudaStreamDestroy(stream);
    }
    tide_graph_entry & entry(const void * key) {
        auto & slot = graphs[key];
        if (!slot) slot = std::make_unique<tide_graph_entry>();
        return *slot;
    }
};

__global__ void k_datum(float * level, float datum) { *level = datum; }

__global__ void k_synth(const float * level, float * h, int ne) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ne) h[i] = *level + 0.5f * i;
}

static void tide_compute_forward(tide_context & ctx, const tide_node & n) {
    switch (n.op) {
        case TIDE_OP_DATUM:
            k_datum<<<1, 1, 0, ctx.stream>>>(n.dst, n.op_param); // HAZARD frozen
            break;
        case TIDE_OP_SYNTH:
            k_synth<<<(n.ne + 127) / 128, 128, 0, ctx.stream>>>(n.src, n.dst, n.ne); // HAZARD dynamic_shape
            break;
    }
    TIDE_CHECK(cudaGetLastError());
}

static bool tide_props_match(const tide_node & n, const tide_node_props & p) {
    return n.op == p.op && n.src == p.src && n.dst == p.dst;
}

static bool tide_update_required(tide_graph_entry & e, const tide_plan & plan) {
    bool changed = e.exec == nullptr || e.props.size() != plan.nodes.size();
    e.props.resize(plan.nodes.size());
    for (size_t i = 0; i < plan.nodes.size(); ++i) {
        const tide_node & n = plan.nodes[i];
        if (!changed) changed = !tide_props_match(n, e.props[i]);
        e.props[i] = {n.op, n.src, n.dst};
    }
    return changed;
}

static void tide_graph_compute(tide_context & ctx, const tide_plan & plan) {
    tide_graph_entry & e = ctx.entry(plan.nodes.front().dst);
    if (tide_update_required(e, plan)) {
        if (e.graph) TIDE_CHECK(cudaGraphDestroy(e.graph));
        e.graph = nullptr;
        TIDE_CHECK(cudaStreamBeginCapture(ctx.stream, cudaStreamCaptureModeRelaxed));
        for (const tide_node & n : plan.nodes) tide_compute_forward(ctx, n);
        TIDE_CHECK(cudaStreamEndCapture(ctx.stream, &e.graph));
        if (e.exec) {
            cudaGraphExecUpdateResultInfo info{};
            if (cudaGraphExecUpdate(e.exec, e.graph, &info) != cudaSuccess) {
                (void) cudaGetLastError();
                TIDE_CHECK(cudaGraphExecDestroy(e.exec));
                e.exec = nullptr;
            }
        }
        if (!e.exec) TIDE_CHECK(cudaGraphInstantiate(&e.exec, e.graph, 0));
    }
    TIDE_CHECK(cudaGraphLaunch(e.exec, ctx.stream));
}

int main() {
    const int cap = 1024;
    float *level, *height;
    TIDE_CHECK(cudaMalloc(&level, sizeof(float)));
    TIDE_CHECK(cudaMalloc(&height, cap * sizeof(float)));
    TIDE_CHECK(cudaMemset(height, 0, cap * sizeof(float)));
    TIDE_CHECK(cudaDeviceSynchronize());
    std::vector<float> out(cap);
    int short_tail = 0, old_level = 0, right = 0;
    {
        tide_context ctx(0);
        tide_plan plan{{{TIDE_OP_DATUM, nullptr, level, 1, 2.0f}, {TIDE_OP_SYNTH, level, height, 256, 0.0f}}};
        const int   spans[3]  = {256, 256, 900};
        const float datums[3] = {2.0f, 2.0f, 7.0f};
        for (int s = 0; s < 3; ++s) {
            plan.nodes[0].op_param = datums[s];
            plan.nodes[1].ne = spans[s];
            tide_graph_compute(ctx, plan);
            TIDE_CHECK(cudaStreamSynchronize(ctx.stream));
        }
        TIDE_CHECK(cudaMemcpy(out.data(), height, cap * sizeof(float), cudaMemcpyDeviceToHost));
        old_level = out[10] == 2.0f + 5.0f;
        short_tail = out[800] == 0.0f;
        right = out[10] == 7.0f + 5.0f && out[800] == 7.0f + 400.0f;
    }
    cudaFree(level);
    cudaFree(height);
    bool ok = old_level && short_tail && !right;
    std::printf("LABEL %s (%g %g)\n", ok ? "CONFIRMED" : "REFUTED", out[10], out[800]);
    return 0;
}
