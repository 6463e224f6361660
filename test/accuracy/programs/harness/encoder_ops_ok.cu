/* Block encoder behind an operations table. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LEN 512
#define TAIL_LEN 64

typedef struct encoder encoder_t;

typedef struct encoder_ops {
    const char *name;
    int (*open)(encoder_t **out);
    int (*configure)(encoder_t *e, int step, int pad);
    int (*encode)(encoder_t *e, const int *src, int *dst, unsigned char *tail);
    void (*close)(encoder_t *e);
} encoder_ops_t;

struct encoder {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *d_src;
    int *d_dst;
    unsigned char *d_tail;
    int step;
    int pad;
    int last_error;
};

__global__ void quantize(const int *src, int *dst, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BLOCK_LEN) dst[i] = src[i] / step;
}

static int enc_fail(encoder_t *e, cudaError_t rc) {
    if (rc == cudaSuccess) return 0;
    if (e) e->last_error = (int)rc;
    fprintf(stderr, "encoder: %s\n", cudaGetErrorString(rc));
    return -1;
}

static int block_open(encoder_t **out) {
    encoder_t *e = (encoder_t *)calloc(1, sizeof(*e));
    if (!e) return -1;
    e->step = 1;
    if (enc_fail(e, cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking)) ||
        enc_fail(e, cudaMalloc((void **)&e->d_src, BLOCK_LEN * sizeof(int))) ||
        enc_fail(e, cudaMalloc((void **)&e->d_dst, BLOCK_LEN * sizeof(int))) ||
        enc_fail(e, cudaMalloc((void **)&e->d_tail, TAIL_LEN))) {
        free(e);
        return -1;
    }
    *out = e;
    return 0;
}

static int block_patch(encoder_t *e) {
    cudaGraphNode_t nodes[4];
    size_t count = 4, i;
    if (enc_fail(e, cudaGraphGetNodes(e->graph, nodes, &count))) return -1;
    for (i = 0; i < count; ++i) {
        enum cudaGraphNodeType type;
        if (enc_fail(e, cudaGraphNodeGetType(nodes[i], &type))) return -1;
        if (type == cudaGraphNodeTypeKernel) {
            void *args[3] = {&e->d_src, &e->d_dst, &e->step};
            cudaKernelNodeParams p;
            if (enc_fail(e, cudaGraphKernelNodeGetParams(nodes[i], &p))) return -1;
            p.kernelParams = args;
            if (enc_fail(e, cudaGraphExecKernelNodeSetParams(e->exec, nodes[i], &p))) return -1;
        } else if (type == cudaGraphNodeTypeMemset) {
            cudaMemsetParams m;
            if (enc_fail(e, cudaGraphMemsetNodeGetParams(nodes[i], &m))) return -1;
            m.value = (unsigned)e->pad;
            if (enc_fail(e, cudaGraphExecMemsetNodeSetParams(e->exec, nodes[i], &m))) return -1;
        }
    }
    return 0;
}

static int block_configure(encoder_t *e, int step, int pad) {
    if (step <= 0) return -1;
    e->step = step;
    e->pad = pad;
    return e->exec ? block_patch(e) : 0;
}

static int block_build(encoder_t *e) {
    if (enc_fail(e, cudaStreamBeginCapture(e->stream, cudaStreamCaptureModeThreadLocal))) return -1;
    cudaMemsetAsync(e->d_tail, e->pad, TAIL_LEN, e->stream);
    quantize<<<BLOCK_LEN / 128, 128, 0, e->stream>>>(e->d_src, e->d_dst, e->step);
    if (enc_fail(e, cudaStreamEndCapture(e->stream, &e->graph))) return -1;
    return enc_fail(e, cudaGraphInstantiate(&e->exec, e->graph, 0));
}

static int block_encode(encoder_t *e, const int *src, int *dst, unsigned char *tail) {
    if (!e->exec && block_build(e)) return -1;
    if (enc_fail(e, cudaMemcpyAsync(e->d_src, src, BLOCK_LEN * sizeof(int), cudaMemcpyHostToDevice, e->stream)) ||
        enc_fail(e, cudaGraphLaunch(e->exec, e->stream)) ||
        enc_fail(e, cudaMemcpyAsync(dst, e->d_dst, BLOCK_LEN * sizeof(int), cudaMemcpyDeviceToHost, e->stream)) ||
        enc_fail(e, cudaMemcpyAsync(tail, e->d_tail, TAIL_LEN, cudaMemcpyDeviceToHost, e->stream)))
        return -1;
    return enc_fail(e, cudaStreamSynchronize(e->stream));
}

static void block_close(encoder_t *e) {
    if (e->exec) cudaGraphExecDestroy(e->exec);
    if (e->graph) cudaGraphDestroy(e->graph);
    cudaStreamDestroy(e->stream);
    cudaFree(e->d_src);
    cudaFree(e->d_dst);
    cudaFree(e->d_tail);
    free(e);
}

static const encoder_ops_t block_encoder = {"block", block_open, block_configure, block_encode, block_close};

int main(void) {
    const encoder_ops_t *ops = &block_encoder;
    encoder_t *enc = NULL;
    static int src[BLOCK_LEN], dst[BLOCK_LEN];
    unsigned char tail[TAIL_LEN];
    int steps[3] = {2, 4, 8}, pads[3] = {0x10, 0x20, 0x30};
    int got[3] = {0, 0, 0}, padded[3] = {0, 0, 0}, rc = 0, k;

    for (k = 0; k < BLOCK_LEN; ++k) src[k] = 64;
    if (ops->open(&enc)) {
        printf("LABEL REFUTED open\n");
        return 0;
    }
    for (k = 0; k < 3; ++k) {
        rc |= ops->configure(enc, steps[k], pads[k]);
        rc |= ops->encode(enc, src, dst, tail);
        got[k] = dst[BLOCK_LEN - 1];
        padded[k] = tail[TAIL_LEN - 1];
    }
    ops->close(enc);
    if (rc == 0 && got[0] == 32 && got[1] == 16 && got[2] == 8 && padded[1] == 0x20 && padded[2] == 0x30)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED rc=%d %d %d %d pad %x %x\n", rc, got[0], got[1], got[2], padded[1], padded[2]);
    return 0;
}
