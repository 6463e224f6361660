/* Parcel sorter: weighs and classifies a batch on two streams. C interface with an opaque handle and status codes. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { MS_OK = 0, MS_NO_MEMORY = 1, MS_CUDA = 2, MS_BAD_ARG = 3 } ms_status;

#define MS_MAIN 0
#define MS_SIDE 1
#define MS_STREAMS 2
#define MS_CLASSES 4

typedef struct ms_sorter {
    cudaStream_t streams[MS_STREAMS];
    cudaEvent_t forked;
    cudaEvent_t joined;
    cudaGraphExec_t exec;
    int *d_weight;  /* grams, one per parcel */
    int *d_class;
    int *d_price;
    int *d_total;
    int count;
    cudaError_t last;
} ms_sorter;

__global__ void ms_classify(const int *weight, int *cls, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cls[i] = min(weight[i] / 500, MS_CLASSES - 1);
}

__global__ void ms_price(const int *weight, int *price, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) price[i] = 100 + weight[i] / 10;
}

__global__ void ms_bill(const int *cls, const int *price, int *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, price[i] * (cls[i] + 1));
}

#define TRY(expr)                                        \
    do {                                                 \
        s->last = (expr);                                \
        if (s->last != cudaSuccess) {                    \
            st = MS_CUDA;                                \
            goto cleanup;                                \
        }                                                \
    } while (0)

static void ms_destroy(ms_sorter *s) {
    int i;
    if (!s) return;
    if (s->exec) cudaGraphExecDestroy(s->exec);
    for (i = 0; i < MS_STREAMS; ++i)
        if (s->streams[i]) cudaStreamDestroy(s->streams[i]);
    if (s->forked) cudaEventDestroy(s->forked);
    if (s->joined) cudaEventDestroy(s->joined);
    cudaFree(s->d_weight);
    cudaFree(s->d_class);
    cudaFree(s->d_price);
    cudaFree(s->d_total);
    free(s);
}

static ms_status ms_create(int count, ms_sorter **out) {
    ms_status st = MS_OK;
    int i;
    ms_sorter *s;
    if (count <= 0 || !out) return MS_BAD_ARG;
    s = (ms_sorter *)calloc(1, sizeof(*s));
    if (!s) return MS_NO_MEMORY;
    s->count = count;
    for (i = 0; i < MS_STREAMS; ++i)
        TRY(cudaStreamCreateWithFlags(&s->streams[i], cudaStreamNonBlocking));
    TRY(cudaEventCreateWithFlags(&s->forked, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&s->joined, cudaEventDisableTiming));
    TRY(cudaMalloc((void **)&s->d_weight, count * sizeof(int)));
    TRY(cudaMalloc((void **)&s->d_class, count * sizeof(int)));
    TRY(cudaMalloc((void **)&s->d_price, count * sizeof(int)));
    TRY(cudaMalloc((void **)&s->d_total, sizeof(int)));
cleanup:
    if (st != MS_OK) {
        ms_destroy(s);
        s = NULL;
    }
    *out = s;
    return st;
}

static ms_status ms_prepare(ms_sorter *s) {
    ms_status st = MS_OK;
    cudaGraph_t graph = NULL;
    int blocks = (s->count + 127) / 128;
    cudaStream_t cur = s->streams[MS_MAIN];

    TRY(cudaStreamBeginCapture(cur, cudaStreamCaptureModeThreadLocal));
    TRY(cudaMemsetAsync(s->d_total, 0, sizeof(int), cur));
    TRY(cudaEventRecord(s->forked, cur));
    ms_classify<<<blocks, 128, 0, cur>>>(s->d_weight, s->d_class, s->count);

    cur = s->streams[MS_SIDE];
    TRY(cudaStreamWaitEvent(cur, s->forked, 0));
    ms_price<<<blocks, 128, 0, cur>>>(s->d_weight, s->d_price, s->count);
    TRY(cudaEventRecord(s->joined, cur));

    TRY(cudaStreamWaitEvent(s->streams[MS_MAIN], s->joined, 0));
    ms_bill<<<blocks, 128, 0, s->streams[MS_MAIN]>>>(s->d_class, s->d_price, s->d_total, s->count);
    TRY(cudaStreamEndCapture(cur, &graph));  // HAZARD scope
    TRY(cudaGraphInstantiate(&s->exec, graph, 0));
cleanup:
    if (graph) cudaGraphDestroy(graph);
    return st;
}

static ms_status ms_sort(ms_sorter *s, const int *weights, int *total) {
    ms_status st = MS_OK;
    cudaStream_t cur = s->streams[MS_MAIN];
    TRY(cudaMemcpyAsync(s->d_weight, weights, s->count * sizeof(int), cudaMemcpyHostToDevice, cur));
    TRY(cudaGraphLaunch(s->exec, cur));
    TRY(cudaMemcpyAsync(total, s->d_total, sizeof(int), cudaMemcpyDeviceToHost, cur));
    TRY(cudaStreamSynchronize(cur));
cleanup:
    return st;
}

int main(void) {
    enum { N = 1000 };
    int *weights = (int *)malloc(N * sizeof(int));
    ms_sorter *sorter = NULL;
    int failures = 0, day, i;

    if (!weights || ms_create(N, &sorter) != MS_OK) return 1;
    if (ms_prepare(sorter) != MS_OK) {
        printf("prepare: %s\n", cudaGetErrorString(sorter->last));
        ++failures;
    }
    for (day = 0; day < 3 && failures == 0; ++day) {
        int want = 0, got = -1;
        for (i = 0; i < N; ++i) {
            int c;
            weights[i] = (i * 7 + day * 131) % 2500;
            c = weights[i] / 500 < MS_CLASSES - 1 ? weights[i] / 500 : MS_CLASSES - 1;
            want += (100 + weights[i] / 10) * (c + 1);
        }
        if (ms_sort(sorter, weights, &got) != MS_OK || got != want) ++failures;
        printf("day %d: %d (expected %d)\n", day, got, want);
    }
    ms_destroy(sorter);
    free(weights);
    puts(failures ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
