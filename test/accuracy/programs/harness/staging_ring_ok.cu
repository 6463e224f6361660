// Internal tool: replays a lookup kernel while other uploads share the staging ring.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int SLOT_LEN = 256;
constexpr int SLOTS = 2;

static void check(cudaError_t err, const char *what) {
    if (err != cudaSuccess) {
        printf("LABEL REFUTED %s: %s\n", what, cudaGetErrorString(err));
        exit(0);
    }
}

struct StagingRing {
    float *slots[SLOTS];
    int next;
};

static float *stage(StagingRing &ring, const float *values) {
    float *slot = ring.slots[ring.next];
    ring.next = (ring.next + 1) % SLOTS;
    memcpy(slot, values, SLOT_LEN * sizeof(float));
    return slot;
}

static void fill(float *values, float v) {
    for (int i = 0; i < SLOT_LEN; i++) values[i] = v;
}

__global__ void lookup(float *table, const float *scale, float *out) {
    int i = threadIdx.x;
    out[i] = table[i] * scale[i];
    table[i] = -1.0f;
}

int main() {
    StagingRing ring = {};
    for (int i = 0; i < SLOTS; i++)
        check(cudaMallocHost(&ring.slots[i], SLOT_LEN * sizeof(float)), "staging");

    float *table;
    check(cudaMallocHost(&table, SLOT_LEN * sizeof(float)), "table staging");
    float *d_table, *d_scale, *d_out;
    check(cudaMalloc(&d_table, SLOT_LEN * sizeof(float)), "table");
    check(cudaMalloc(&d_scale, SLOT_LEN * sizeof(float)), "scale");
    check(cudaMalloc(&d_out, SLOT_LEN * sizeof(float)), "out");

    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");

    float values[SLOT_LEN];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    fill(table, 10.0f);
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
    check(cudaMemcpyAsync(d_table, table, sizeof(values), cudaMemcpyHostToDevice, stream), "table copy");
    lookup<<<1, SLOT_LEN, 0, stream>>>(d_table, d_scale, d_out);
    check(cudaStreamEndCapture(stream, &graph), "end");
    check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");

    float got[4];
    for (int k = 0; k < 4; k++) {
        fill(values, 1.0f + k);
        float *scale = stage(ring, values);
        check(cudaMemcpyAsync(d_scale, scale, sizeof(values), cudaMemcpyHostToDevice, stream), "scale copy");
        check(cudaGraphLaunch(exec, stream), "launch");
        check(cudaMemcpyAsync(&got[k], d_out, sizeof(float), cudaMemcpyDeviceToHost, stream), "result");
        check(cudaStreamSynchronize(stream), "wait");
    }

    bool confirmed = got[0] == 10.0f && got[1] == 20.0f && got[2] == 30.0f && got[3] == 40.0f;
    if (confirmed)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED %g %g %g %g\n", got[0], got[1], got[2], got[3]);

    check(cudaGraphExecDestroy(exec), "exec");
    check(cudaGraphDestroy(graph), "graph");
    check(cudaStreamDestroy(stream), "stream");
    for (int i = 0; i < SLOTS; i++) check(cudaFreeHost(ring.slots[i]), "staging");
    check(cudaFreeHost(table), "table staging");
    check(cudaFree(d_table), "table");
    check(cudaFree(d_scale), "scale");
    check(cudaFree(d_out), "out");
    return 0;
}
