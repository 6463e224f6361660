/* FIR filter plugin; the host walks a table of plugins and feeds blocks. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_BLOCK = 1024, NTAPS = 8 };

struct fir_state {
    cudaStream_t stream;
    cudaGraphExec_t exec;
    float *d_in;
    float *d_out;
    float *d_taps;
    float taps[NTAPS];
    float cutoff;
    int block;
};

struct filter_plugin {
    const char *id;
    void *(*create)(float cutoff);
    cudaError_t (*set_block)(void *self, int block);
    cudaError_t (*process)(void *self);
    cudaError_t (*read)(void *self, float *out, int n);
    void (*destroy)(void *self);
};

#define TRY(x)                            \
    do {                                  \
        cudaError_t try_rc = (x);         \
        if (try_rc != cudaSuccess) return try_rc; \
    } while (0)

__global__ void fir_kernel(const float *in, float *out, const float *taps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0.0f;
    for (int k = 0; k < NTAPS; ++k) acc += taps[k] * in[(i + k) % MAX_BLOCK];
    out[i] = acc;
}

static void design_taps(float cutoff, float *taps) {
    for (int k = 0; k < NTAPS; ++k) taps[k] = cutoff / NTAPS;
}

static cudaError_t fir_emit(struct fir_state *st) {
    design_taps(st->cutoff, st->taps);
    TRY(cudaMemcpyAsync(st->d_taps, st->taps, sizeof(st->taps), cudaMemcpyHostToDevice, st->stream));
    fir_kernel<<<(st->block + 63) / 64, 64, 0, st->stream>>>(st->d_in, st->d_out, st->d_taps, st->block);
    return cudaGetLastError();
}

static cudaError_t fir_compile(struct fir_state *st) {
    cudaGraph_t graph = NULL;
    TRY(cudaStreamBeginCapture(st->stream, cudaStreamCaptureModeThreadLocal));
    cudaError_t emitted = fir_emit(st);
    TRY(cudaStreamEndCapture(st->stream, &graph));
    cudaError_t rc = emitted == cudaSuccess ? cudaGraphInstantiate(&st->exec, graph, 0) : emitted;
    cudaGraphDestroy(graph);
    return rc;
}

static void *fir_create(float cutoff) {
    struct fir_state *st = (struct fir_state *)calloc(1, sizeof(*st));
    float *ones = (float *)malloc(MAX_BLOCK * sizeof(float));
    for (int i = 0; i < MAX_BLOCK; ++i) ones[i] = 1.0f;
    st->cutoff = cutoff;
    st->block = 64;
    cudaStreamCreateWithFlags(&st->stream, cudaStreamNonBlocking);
    cudaMalloc((void **)&st->d_in, MAX_BLOCK * sizeof(float));
    cudaMalloc((void **)&st->d_out, MAX_BLOCK * sizeof(float));
    cudaMalloc((void **)&st->d_taps, NTAPS * sizeof(float));
    cudaMemcpy(st->d_in, ones, MAX_BLOCK * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(st->d_out, 0, MAX_BLOCK * sizeof(float));
    free(ones);
    return st;
}

static cudaError_t fir_set_block(void *self, int block) {
    struct fir_state *st = (struct fir_state *)self;
    if (block <= 0 || block > MAX_BLOCK) return cudaErrorInvalidValue;
    if (block == st->block) return cudaSuccess;
    st->block = block;
    if (st->exec) {
        TRY(cudaGraphExecDestroy(st->exec));
        st->exec = NULL;
    }
    return cudaSuccess;
}

static cudaError_t fir_process(void *self) {
    struct fir_state *st = (struct fir_state *)self;
    if (!st->exec) TRY(fir_compile(st));
    TRY(cudaGraphLaunch(st->exec, st->stream));
    return cudaStreamSynchronize(st->stream);
}

static cudaError_t fir_read(void *self, float *out, int n) {
    return cudaMemcpy(out, ((struct fir_state *)self)->d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
}

static void fir_destroy(void *self) {
    struct fir_state *st = (struct fir_state *)self;
    if (st->exec) cudaGraphExecDestroy(st->exec);
    cudaStreamDestroy(st->stream);
    cudaFree(st->d_in);
    cudaFree(st->d_out);
    cudaFree(st->d_taps);
    free(st);
}

static const struct filter_plugin registry[] = {
    {"fir", fir_create, fir_set_block, fir_process, fir_read, fir_destroy},
};

int main(void) {
    const struct filter_plugin *plugin = &registry[0];
    static float out[MAX_BLOCK];
    const int blocks[3] = {64, 256, 1024};
    int short_blocks = 0, wrong_head = 0;
    cudaError_t rc = cudaSuccess;
    void *self = plugin->create(0.5f);
    for (int b = 0; b < 3 && rc == cudaSuccess; ++b) {
        rc = plugin->set_block(self, blocks[b]);
        if (rc == cudaSuccess) rc = plugin->process(self);
        if (rc == cudaSuccess) rc = plugin->read(self, out, MAX_BLOCK);
        if (out[blocks[b] - 1] == 0.0f) ++short_blocks;
        if (out[0] != 0.5f) ++wrong_head;
    }
    plugin->destroy(self);
    if (rc == cudaSuccess && short_blocks == 0 && wrong_head == 0)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED rc=%d short=%d head=%d\n", rc, short_blocks, wrong_head);
    return 0;
}
