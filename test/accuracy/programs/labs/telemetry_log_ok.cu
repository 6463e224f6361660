// telemetry_log: device-resident log of sensor readings behind an opaque handle.  Appending a batch (upload, unit
// conversion, append at the device-side write position) is one graph; the storage can be enlarged at any time.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum tl_status { TL_OK = 0, TL_FULL, TL_CUDA, TL_NOMEM, TL_BAD_ARG };

typedef struct tl_log_t *tl_handle;

#define TL_CHECK(call)                                                                                  \
    do {                                                                                                \
        cudaError_t e_ = (call);                                                                        \
        if (e_ != cudaSuccess) {                                                                        \
            fprintf(stderr, "telemetry_log:%d %s: %s\n", __LINE__, #call, cudaGetErrorString(e_));      \
            rc = TL_CUDA;                                                                               \
            goto cleanup;                                                                               \
        }                                                                                               \
    } while (0)

struct tl_log_t {
    size_t capacity, count; /* readings */
    int batch;
    float scale; /* volts per count, fixed by the sensor */
    float *d_store;
    unsigned *d_pos;
    unsigned short *d_raw, *h_raw;
    cudaStream_t stream;
    cudaGraphExec_t append;
};

__global__ void tl_append(float *store, const unsigned *pos, const unsigned short *raw, int n, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) store[*pos + i] = scale * raw[i];
}

__global__ void tl_bump(unsigned *pos, int n) { *pos += n; }

static void tl_enqueue_append(tl_handle h) {
    const size_t bytes = sizeof(unsigned short) * h->batch;
    cudaMemcpyAsync(h->d_raw, h->h_raw, bytes, cudaMemcpyHostToDevice, h->stream);
    tl_append<<<(h->batch + 127) / 128, 128, 0, h->stream>>>(h->d_store, h->d_pos, h->d_raw, h->batch, h->scale);
    tl_bump<<<1, 1, 0, h->stream>>>(h->d_pos, h->batch);
}

static tl_status tl_build(tl_handle h) {
    tl_status rc = TL_OK;
    cudaGraph_t graph = NULL;
    TL_CHECK(cudaStreamBeginCapture(h->stream, cudaStreamCaptureModeThreadLocal));
    tl_enqueue_append(h);
    TL_CHECK(cudaStreamEndCapture(h->stream, &graph));
    TL_CHECK(cudaGraphInstantiate(&h->append, graph, 0));
cleanup:
    if (graph) cudaGraphDestroy(graph);
    return rc;
}

void tl_destroy(tl_handle h) {
    if (!h) return;
    if (h->append) cudaGraphExecDestroy(h->append);
    cudaFree(h->d_store);
    cudaFree(h->d_pos);
    cudaFree(h->d_raw);
    cudaFreeHost(h->h_raw);
    if (h->stream) cudaStreamDestroy(h->stream);
    free(h);
}

tl_status tl_create(tl_handle *out, size_t capacity, int batch, float scale) {
    tl_status rc = TL_OK;
    tl_handle h = (tl_handle)calloc(1, sizeof *h);
    if (!h) return TL_NOMEM;
    h->capacity = capacity;
    h->batch = batch;
    h->scale = scale;
    TL_CHECK(cudaStreamCreateWithFlags(&h->stream, cudaStreamNonBlocking));
    TL_CHECK(cudaMalloc(&h->d_store, sizeof(float) * capacity));
    TL_CHECK(cudaMalloc(&h->d_pos, sizeof(unsigned)));
    TL_CHECK(cudaMalloc(&h->d_raw, sizeof(unsigned short) * batch));
    TL_CHECK(cudaMallocHost(&h->h_raw, sizeof(unsigned short) * batch));
    TL_CHECK(cudaMemsetAsync(h->d_pos, 0, sizeof(unsigned), h->stream));
    TL_CHECK(cudaMemsetAsync(h->d_store, 0, sizeof(float) * capacity, h->stream));
    *out = h;
    return TL_OK;
cleanup:
    tl_destroy(h);
    return rc;
}

tl_status tl_reserve(tl_handle h, size_t capacity) {
    tl_status rc = TL_OK;
    float *bigger = NULL;
    if (capacity <= h->capacity) return TL_OK;
    TL_CHECK(cudaStreamSynchronize(h->stream));
    TL_CHECK(cudaMalloc(&bigger, sizeof(float) * capacity));
    TL_CHECK(cudaMemsetAsync(bigger, 0, sizeof(float) * capacity, h->stream));
    TL_CHECK(cudaMemcpyAsync(bigger, h->d_store, sizeof(float) * h->count, cudaMemcpyDeviceToDevice, h->stream));
    TL_CHECK(cudaStreamSynchronize(h->stream));
    if (h->append) cudaGraphExecDestroy(h->append);
    h->append = NULL; /* recorded with the old storage: tl_push builds it anew */
    cudaFree(h->d_store);
    h->d_store = bigger;
    h->capacity = capacity;
    return TL_OK;
cleanup:
    cudaFree(bigger);
    return rc;
}

tl_status tl_push(tl_handle h, const unsigned short *raw) {
    tl_status rc = TL_OK;
    if (h->count + h->batch > h->capacity) return TL_FULL;
    if (!h->append) rc = tl_build(h);
    if (rc != TL_OK) return rc;
    memcpy(h->h_raw, raw, sizeof(unsigned short) * h->batch);
    TL_CHECK(cudaGraphLaunch(h->append, h->stream));
    TL_CHECK(cudaStreamSynchronize(h->stream)); /* h_raw may be refilled by the next push */
    h->count += h->batch;
cleanup:
    return rc;
}

tl_status tl_read(tl_handle h, float *dst, size_t n) {
    tl_status rc = TL_OK;
    if (n > h->count) return TL_BAD_ARG;
    TL_CHECK(cudaMemcpyAsync(dst, h->d_store, sizeof(float) * n, cudaMemcpyDeviceToHost, h->stream));
    TL_CHECK(cudaStreamSynchronize(h->stream));
cleanup:
    return rc;
}

static unsigned short reading(size_t k) { return (unsigned short)(1 + (k * 2654435761u >> 20) % 4095); }

int main() {
    const int batch = 2000, pushes = 6;
    tl_handle log = NULL;
    tl_status st = tl_create(&log, 16000, batch, 0.25f);
    std::vector<unsigned short> raw(batch);
    for (int p = 0; p < pushes && st == TL_OK; ++p) {
        for (int i = 0; i < batch; ++i) raw[i] = reading((size_t)p * batch + i);
        /* Half-way a long recording is announced, so make room ahead of time. */
        if (p == 3) st = tl_reserve(log, 4000000);
        if (st == TL_OK) st = tl_push(log, raw.data());
    }

    size_t wrong = 0;
    std::vector<float> all((size_t)batch * pushes);
    if (st == TL_OK) st = tl_read(log, all.data(), all.size());
    if (st == TL_OK)
        for (size_t k = 0; k < all.size(); ++k) wrong += all[k] != 0.25f * reading(k);
    tl_destroy(log);

    printf("status %d, wrong readings %zu\n", (int)st, wrong);
    const bool seen = st == TL_OK && wrong == 0;
    puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
