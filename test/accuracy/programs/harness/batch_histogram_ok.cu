// Histogram of incoming batches, with the per-batch work kept in a graph.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                             \
    do {                                                                        \
        cudaError_t err = (call);                                               \
        if (err != cudaSuccess) {                                               \
            printf("LABEL REFUTED line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
            exit(0);                                                            \
        }                                                                       \
    } while (0)

const int MAX_N = 4096;
const int BINS = 16;

__global__ void histogram(const unsigned char *in, int n, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] % BINS], 1);
}

int main() {
    unsigned char *h_in, *d_in;
    int *h_bins, *d_bins;
    CHECK(cudaMallocHost(&h_in, MAX_N));
    CHECK(cudaMallocHost(&h_bins, BINS * sizeof(int)));
    CHECK(cudaMalloc(&d_in, MAX_N));
    CHECK(cudaMalloc(&d_bins, BINS * sizeof(int)));
    CHECK(cudaMemset(d_in, 0, MAX_N));

    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaGraphExec_t exec = NULL;
    int captured = 0;

    const int sizes[4] = {512, 1024, 4096, 2048};
    int totals[4], threes[4];
    for (int batch = 0; batch < 4; batch++) {
        int n = sizes[batch];
        for (int i = 0; i < n; i++) h_in[i] = 3;

        if (n != captured) {
            cudaGraph_t graph;
            CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
            CHECK(cudaMemcpyAsync(d_in, h_in, n, cudaMemcpyHostToDevice, stream));
            CHECK(cudaMemsetAsync(d_bins, 0, BINS * sizeof(int), stream));
            histogram<<<(n + 255) / 256, 256, 0, stream>>>(d_in, n, d_bins);
            CHECK(cudaMemcpyAsync(h_bins, d_bins, BINS * sizeof(int), cudaMemcpyDeviceToHost, stream));
            CHECK(cudaStreamEndCapture(stream, &graph));
            cudaGraphExecUpdateResultInfo info;
            if (exec == NULL || cudaGraphExecUpdate(exec, graph, &info) != cudaSuccess) {
                cudaGetLastError();
                if (exec != NULL) CHECK(cudaGraphExecDestroy(exec));
                CHECK(cudaGraphInstantiate(&exec, graph, 0));
            }
            captured = n;
            CHECK(cudaGraphDestroy(graph));
        }
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));

        totals[batch] = 0;
        for (int b = 0; b < BINS; b++) totals[batch] += h_bins[b];
        threes[batch] = h_bins[3];
    }

    unsigned char last = 0;
    CHECK(cudaMemcpy(&last, d_in + 4095, 1, cudaMemcpyDeviceToHost));
    bool confirmed = totals[1] == 1024 && totals[2] == 4096 && totals[3] == 2048 && threes[3] == 2048 && last == 3;
    if (confirmed)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED %d %d %d %d last=%d\n", totals[0], totals[1], totals[2], totals[3], last);

    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_bins));
    CHECK(cudaFreeHost(h_in));
    CHECK(cudaFreeHost(h_bins));
    return 0;
}
