#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TS_REQUIRE(x)                                                                         \
    do {                                                                                      \
        cudaError_t rc_ = (x);                                                                \
        if (rc_ != cudaSuccess) {                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_));      \
            abort();                                                                          \
        }                                                                                     \
    } while (0)

enum { TS_SYMBOLS = 512, TS_DEPTH = 8, TS_MAX_NODES = 16 };

struct ts_feed {
    cudaStream_t stream;
    cudaEvent_t  ready;
    float *      h_book;
    float *      d_book;
};

struct ts_node;

struct ts_device {
    cudaStream_t stream;
    ts_feed *    feed;
    float *      mid;
    float *      signal;
    float *      h_signal;
};

typedef cudaError_t (*ts_op_fn)(ts_device *, const ts_node *);

struct ts_node {
    const char * name;
    ts_op_fn     compute;
    float        alpha;
};

struct ts_cgraph {
    ts_node nodes[TS_MAX_NODES];
    int     n_nodes;
};

struct ts_backend_i {
    cudaError_t (*graph_begin)(ts_device *);
    cudaError_t (*graph_end)(ts_device *, cudaGraphExec_t *);
    cudaError_t (*graph_replay)(ts_device *, cudaGraphExec_t);
};

static __global__ void ts_mid_kernel(const float * book, float * mid) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= TS_SYMBOLS) return;
    float acc = 0.0f;
    for (int d = 0; d < TS_DEPTH; ++d) acc += book[s * TS_DEPTH + d];
    mid[s] = acc / TS_DEPTH;
}

static __global__ void ts_signal_kernel(const float * mid, float * signal, float alpha) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < TS_SYMBOLS) signal[s] = alpha * mid[s];
}

static void ts_feed_push(ts_feed * feed, float px) {
    TS_REQUIRE(cudaStreamSynchronize(feed->stream));
    for (int i = 0; i < TS_SYMBOLS * TS_DEPTH; ++i) feed->h_book[i] = px;
    TS_REQUIRE(cudaMemcpyAsync(feed->d_book, feed->h_book, sizeof(float) * TS_SYMBOLS * TS_DEPTH,
                               cudaMemcpyHostToDevice, feed->stream));
    TS_REQUIRE(cudaEventRecord(feed->ready, feed->stream));
}

static cudaError_t ts_op_input(ts_device * dev, const ts_node *) {
    return cudaStreamWaitEvent(dev->stream, dev->feed->ready, cudaEventWaitExternal);
}

static cudaError_t ts_op_mid(ts_device * dev, const ts_node *) {
    ts_mid_kernel<<<(TS_SYMBOLS + 127) / 128, 128, 0, dev->stream>>>(dev->feed->d_book, dev->mid);
    return cudaGetLastError();
}

static cudaError_t ts_op_signal(ts_device * dev, const ts_node * node) {
    ts_signal_kernel<<<(TS_SYMBOLS + 127) / 128, 128, 0, dev->stream>>>(dev->mid, dev->signal, node->alpha);
    return cudaGetLastError();
}

static cudaError_t ts_op_output(ts_device * dev, const ts_node *) {
    return cudaMemcpyAsync(dev->h_signal, dev->signal, sizeof(float) * TS_SYMBOLS, cudaMemcpyDeviceToHost, dev->stream);
}

static cudaError_t ts_cuda_graph_begin(ts_device * dev) {
    return cudaStreamBeginCapture(dev->stream, cudaStreamCaptureModeGlobal);
}

static cudaError_t ts_cuda_graph_end(ts_device * dev, cudaGraphExec_t * exec) {
    cudaGraph_t graph = nullptr;
    cudaError_t rc    = cudaStreamEndCapture(dev->stream, &graph);
    if (rc != cudaSuccess) return rc;
    rc = cudaGraphInstantiate(exec, graph, 0);
    cudaGraphDestroy(graph);
    return rc;
}

static cudaError_t ts_cuda_graph_replay(ts_device * dev, cudaGraphExec_t exec) {
    cudaError_t rc = cudaGraphLaunch(exec, dev->stream);
    return rc == cudaSuccess ? cudaStreamSynchronize(dev->stream) : rc;
}

static const ts_backend_i ts_cuda_iface = {
    /* .graph_begin  = */ ts_cuda_graph_begin,
    /* .graph_end    = */ ts_cuda_graph_end,
    /* .graph_replay = */ ts_cuda_graph_replay,
};

static cudaError_t ts_build(const ts_backend_i * iface, ts_device * dev, const ts_cgraph * cg, cudaGraphExec_t * exec) {
    cudaError_t rc = iface->graph_begin(dev);
    if (rc != cudaSuccess) return rc;
    for (int i = 0; i < cg->n_nodes && rc == cudaSuccess; ++i) {
        rc = cg->nodes[i].compute(dev, &cg->nodes[i]);
    }
    const cudaError_t end = iface->graph_end(dev, exec);
    return rc != cudaSuccess ? rc : end;
}

int main() {
    ts_feed   feed = {};
    ts_device dev  = {};
    TS_REQUIRE(cudaStreamCreateWithFlags(&feed.stream, cudaStreamNonBlocking));
    TS_REQUIRE(cudaStreamCreateWithFlags(&dev.stream, cudaStreamNonBlocking));
    TS_REQUIRE(cudaEventCreateWithFlags(&feed.ready, cudaEventDisableTiming));
    TS_REQUIRE(cudaMallocHost(&feed.h_book, sizeof(float) * TS_SYMBOLS * TS_DEPTH));
    TS_REQUIRE(cudaMalloc(&feed.d_book, sizeof(float) * TS_SYMBOLS * TS_DEPTH));
    TS_REQUIRE(cudaMalloc(&dev.mid, sizeof(float) * TS_SYMBOLS));
    TS_REQUIRE(cudaMalloc(&dev.signal, sizeof(float) * TS_SYMBOLS));
    TS_REQUIRE(cudaMallocHost(&dev.h_signal, sizeof(float) * TS_SYMBOLS));
    dev.feed = &feed;

    ts_cgraph cg = {};
    cg.nodes[cg.n_nodes++] = { "input", ts_op_input, 0.0f };
    cg.nodes[cg.n_nodes++] = { "mid", ts_op_mid, 0.0f };
    cg.nodes[cg.n_nodes++] = { "signal", ts_op_signal, 1.5f };
    cg.nodes[cg.n_nodes++] = { "output", ts_op_output, 0.0f };

    cudaGraphExec_t exec = nullptr;
    ts_feed_push(&feed, 100.0f);
    cudaError_t rc = ts_build(&ts_cuda_iface, &dev, &cg, &exec);

    bool right = rc == cudaSuccess;
    for (int tick = 1; right && tick <= 4; ++tick) {
        ts_feed_push(&feed, 100.0f + tick);
        right = ts_cuda_iface.graph_replay(&dev, exec) == cudaSuccess;
        for (int s = 0; s < TS_SYMBOLS; ++s) right = right && fabsf(dev.h_signal[s] - 1.5f * (100.0f + tick)) < 1e-3f;
    }

    if (exec) TS_REQUIRE(cudaGraphExecDestroy(exec));
    TS_REQUIRE(cudaStreamSynchronize(feed.stream));
    TS_REQUIRE(cudaFree(feed.d_book));
    TS_REQUIRE(cudaFree(dev.mid));
    TS_REQUIRE(cudaFree(dev.signal));
    TS_REQUIRE(cudaFreeHost(feed.h_book));
    TS_REQUIRE(cudaFreeHost(dev.h_signal));
    TS_REQUIRE(cudaEventDestroy(feed.ready));
    TS_REQUIRE(cudaStreamDestroy(dev.stream));
    TS_REQUIRE(cudaStreamDestroy(feed.stream));
    puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
