/* Delta codec for sensor packets. C style: opaque handle, explicit status codes, pinned staging owned by the handle. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DC_MAX_SAMPLES 8192
#define DC_THREADS 128

typedef int dc_status; /* 0 is success, otherwise a cudaError_t or a negative code */
#define DC_E_TOO_LARGE (-2)
#define DC_E_MEMORY (-3)

struct dc_codec {
    cudaStream_t stream;
    cudaGraphExec_t exec;
    int *h_in;   /* pinned, DC_MAX_SAMPLES */
    int *h_out;  /* pinned, DC_MAX_SAMPLES */
    int *d_in;
    int *d_out;
    int count;      /* samples in the current packet */
    int packets;
};
typedef struct dc_codec dc_codec_t;

__global__ void dc_encode_kernel(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i ? in[i] - in[i - 1] : in[0];
}

static void dc_close(dc_codec_t *c) {
    if (!c) return;
    if (c->exec) cudaGraphExecDestroy(c->exec);
    if (c->stream) cudaStreamDestroy(c->stream);
    cudaFree(c->d_in);
    cudaFree(c->d_out);
    cudaFreeHost(c->h_in);
    cudaFreeHost(c->h_out);
    free(c);
}

static dc_status dc_open(dc_codec_t **out) {
    cudaError_t rc;
    const size_t bytes = DC_MAX_SAMPLES * sizeof(int);
    dc_codec_t *c = (dc_codec_t *)malloc(sizeof *c);
    if (!c) return DC_E_MEMORY;
    memset(c, 0, sizeof *c);

    if ((rc = cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking)) != cudaSuccess) goto fail;
    if ((rc = cudaMallocHost((void **)&c->h_in, bytes)) != cudaSuccess) goto fail;
    if ((rc = cudaMallocHost((void **)&c->h_out, bytes)) != cudaSuccess) goto fail;
    if ((rc = cudaMalloc((void **)&c->d_in, bytes)) != cudaSuccess) goto fail;
    if ((rc = cudaMalloc((void **)&c->d_out, bytes)) != cudaSuccess) goto fail;
    *out = c;
    return 0;
fail:
    dc_close(c);
    return (dc_status)rc;
}

static dc_status dc_record(dc_codec_t *c) {
    cudaError_t rc;
    cudaError_t end_rc;
    cudaGraph_t graph = NULL;
    size_t bytes = (size_t)c->count * sizeof(int);
    int blocks = (c->count + DC_THREADS - 1) / DC_THREADS;

    rc = cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return (dc_status)rc;
    rc = cudaMemcpyAsync(c->d_in, c->h_in, bytes, cudaMemcpyHostToDevice, c->stream);  // HAZARD dynamic_shape #count
    if (rc != cudaSuccess) goto finish;
    dc_encode_kernel<<<blocks, DC_THREADS, 0, c->stream>>>(c->d_in, c->d_out, c->count);  // HAZARD dynamic_shape #count
    rc = cudaGetLastError();
    if (rc != cudaSuccess) goto finish;
    rc = cudaMemcpyAsync(c->h_out, c->d_out, bytes, cudaMemcpyDeviceToHost, c->stream);  // HAZARD dynamic_shape #count
finish:
    end_rc = cudaStreamEndCapture(c->stream, &graph);
    if (rc == cudaSuccess) rc = end_rc;
    if (rc == cudaSuccess) rc = cudaGraphInstantiate(&c->exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return (dc_status)rc;
}

static dc_status dc_encode(dc_codec_t *c, const int *samples, int n, int *deltas) {
    dc_status rc;
    if (n <= 0 || n > DC_MAX_SAMPLES) return DC_E_TOO_LARGE;
    c->count = n;
    memcpy(c->h_in, samples, (size_t)n * sizeof(int));
    if (!c->exec && (rc = dc_record(c)) != 0) return rc;
    rc = (dc_status)cudaGraphLaunch(c->exec, c->stream);
    if (rc == 0) rc = (dc_status)cudaStreamSynchronize(c->stream);
    if (rc == 0) {
        memcpy(deltas, c->h_out, (size_t)n * sizeof(int));
        c->packets++;
    }
    return rc;
}

int main(void) {
    static const int sizes[] = {1024, 1024, 3000, 512, 8192, 1024};
    int *samples = (int *)malloc(DC_MAX_SAMPLES * sizeof(int));
    int *deltas = (int *)malloc(DC_MAX_SAMPLES * sizeof(int));
    dc_codec_t *codec = NULL;
    int wrong = 0;
    size_t p;
    int i;

    if (!samples || !deltas || dc_open(&codec) != 0) return 1;
    memset(codec->h_out, 0, DC_MAX_SAMPLES * sizeof(int));
    for (p = 0; p < sizeof sizes / sizeof sizes[0]; ++p) {
        int n = sizes[p];
        for (i = 0; i < n; ++i) samples[i] = i * ((int)p + 2) + 5;
        if (dc_encode(codec, samples, n, deltas) != 0) {
            ++wrong;
            continue;
        }
        for (i = 0; i < n; ++i)
            if (deltas[i] != (i ? (int)p + 2 : 5)) {
                ++wrong;
                break;
            }
    }
    printf("%d packets, %d wrong\n", codec->packets, wrong);
    dc_close(codec);
    free(samples);
    free(deltas);
    puts(wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
