/* Block video decoder with a pluggable hwaccel; one frame is one launch. */
#include <cuda_runtime.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AVERROR(e) (-(e))
#define AVERROR_INVALIDDATA AVERROR(EILSEQ)
#define AVERROR_EXTERNAL AVERROR(EIO)

#define FRAME_W 256
#define MAX_SLICES 8
#define SLICE_SIZE (FRAME_W * 8)

enum SliceType { SLICE_RAW, SLICE_DELTA, SLICE_SKIP, NB_SLICE_TYPES };

typedef struct SliceHeader {
    uint8_t type;
    uint8_t base;
} SliceHeader;

typedef struct Packet {
    int nb_slices;
    SliceHeader slices[MAX_SLICES];
    const uint8_t *payload;
} Packet;

typedef struct Decoder Decoder;

typedef struct HWAccel {
    const char *name;
    int (*init)(Decoder *dec);
    int (*start_frame)(Decoder *dec, const Packet *pkt);
    int (*decode_slice)(Decoder *dec, const SliceHeader *sh, int index);
    int (*end_frame)(Decoder *dec, uint8_t *dst);
    void (*abort_frame)(Decoder *dec);
    void (*uninit)(Decoder *dec);
} HWAccel;

struct Decoder {
    const HWAccel *hwaccel;
    void *hwaccel_priv;
    int frame_num;
};

typedef struct CudaDecContext {
    cudaStream_t stream;
    cudaGraphExec_t exec;
    uint8_t *bitstream;
    uint8_t *surface;
} CudaDecContext;

__global__ void raw_slice(const uint8_t *src, uint8_t *dst, int base)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    dst[i] = (uint8_t)(src[i] + base);
}

__global__ void delta_slice(const uint8_t *src, uint8_t *dst, int base)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    dst[i] = (uint8_t)(dst[i] + src[i] + base);
}

static int cuda_init(Decoder *dec)
{
    CudaDecContext *c = (CudaDecContext *)dec->hwaccel_priv;
    if (cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMalloc(&c->bitstream, MAX_SLICES * SLICE_SIZE) != cudaSuccess ||
        cudaMalloc(&c->surface, MAX_SLICES * SLICE_SIZE) != cudaSuccess)
        return AVERROR(ENOMEM);
    return 0;
}

static int cuda_start_frame(Decoder *dec, const Packet *pkt)
{
    CudaDecContext *c = (CudaDecContext *)dec->hwaccel_priv;
    if (cudaMemcpyAsync(c->bitstream, pkt->payload, MAX_SLICES * SLICE_SIZE, cudaMemcpyHostToDevice, c->stream) != cudaSuccess)
        return AVERROR_EXTERNAL;
    if (cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) // HAZARD scope #1
        return AVERROR_EXTERNAL;
    return 0;
}

static int cuda_decode_slice(Decoder *dec, const SliceHeader *sh, int index)
{
    CudaDecContext *c = (CudaDecContext *)dec->hwaccel_priv;
    const uint8_t *src = c->bitstream + index * SLICE_SIZE;
    uint8_t *dst = c->surface + index * SLICE_SIZE;

    switch (sh->type) {
    case SLICE_RAW:
        raw_slice<<<SLICE_SIZE / 128, 128, 0, c->stream>>>(src, dst, sh->base);
        break;
    case SLICE_DELTA:
        delta_slice<<<SLICE_SIZE / 128, 128, 0, c->stream>>>(src, dst, sh->base);
        break;
    case SLICE_SKIP:
        break;
    default:
        return AVERROR_INVALIDDATA;
    }
    return cudaGetLastError() == cudaSuccess ? 0 : AVERROR_EXTERNAL;
}

static int cuda_end_frame(Decoder *dec, uint8_t *dst)
{
    CudaDecContext *c = (CudaDecContext *)dec->hwaccel_priv;
    cudaGraphExecUpdateResultInfo info;
    cudaGraph_t graph = NULL;
    int ret = AVERROR_EXTERNAL;

    if (cudaStreamEndCapture(c->stream, &graph) != cudaSuccess)
        goto end;
    if (c->exec && cudaGraphExecUpdate(c->exec, graph, &info) != cudaSuccess) {
        cudaGetLastError();
        cudaGraphExecDestroy(c->exec);
        c->exec = NULL;
    }
    if (!c->exec && cudaGraphInstantiate(&c->exec, graph, 0) != cudaSuccess)
        goto end;
    if (cudaGraphLaunch(c->exec, c->stream) != cudaSuccess ||
        cudaMemcpyAsync(dst, c->surface, MAX_SLICES * SLICE_SIZE, cudaMemcpyDeviceToHost, c->stream) != cudaSuccess ||
        cudaStreamSynchronize(c->stream) != cudaSuccess)
        goto end;
    ret = 0;
end:
    if (graph)
        cudaGraphDestroy(graph);
    return ret;
}

static void cuda_abort_frame(Decoder *dec)
{
    CudaDecContext *c = (CudaDecContext *)dec->hwaccel_priv;
    if (cudaMemsetAsync(c->surface, 0x80, MAX_SLICES * SLICE_SIZE, c->stream) != cudaSuccess)
        fprintf(stderr, "cuda: could not conceal the frame\n");
}

static void cuda_uninit(Decoder *dec)
{
    CudaDecContext *c = (CudaDecContext *)dec->hwaccel_priv;
    if (c->exec)
        cudaGraphExecDestroy(c->exec);
    cudaFree(c->bitstream);
    cudaFree(c->surface);
    if (c->stream)
        cudaStreamDestroy(c->stream);
}

static const HWAccel cuda_hwaccel = {"cuda", cuda_init, cuda_start_frame, cuda_decode_slice, cuda_end_frame, cuda_abort_frame, cuda_uninit};

static int decode_frame(Decoder *dec, uint8_t *dst, const Packet *pkt)
{
    int ret = dec->hwaccel->start_frame(dec, pkt);
    if (ret < 0)
        return ret;
    for (int i = 0; i < pkt->nb_slices; i++) {
        ret = dec->hwaccel->decode_slice(dec, &pkt->slices[i], i);
        if (ret < 0)
            goto fail; // HAZARD scope #1
    }
    ret = dec->hwaccel->end_frame(dec, dst);
    if (ret < 0)
        return ret;
    dec->frame_num++;
    return 0;
fail:
    dec->hwaccel->abort_frame(dec);
    fprintf(stderr, "frame %d: broken slice, concealed\n", dec->frame_num);
    return ret;
}

int main(void)
{
    static uint8_t payload[MAX_SLICES * SLICE_SIZE], out[MAX_SLICES * SLICE_SIZE];
    CudaDecContext priv = {};
    Decoder dec = {&cuda_hwaccel, &priv, 0};
    Packet key = {2, {{SLICE_RAW, 10}, {SLICE_RAW, 20}}, payload};
    Packet broken = {2, {{SLICE_DELTA, 1}, {0x5a, 0}}, payload};
    Packet next = {2, {{SLICE_RAW, 30}, {SLICE_RAW, 5}}, payload};
    int r1, r2, r3, seen;

    memset(payload, 3, sizeof(payload));
    if (dec.hwaccel->init(&dec) < 0) {
        puts("LABEL UNOBSERVED");
        return 0;
    }
    r1 = decode_frame(&dec, out, &key);
    seen = out[0] == 13 && out[SLICE_SIZE] == 23;
    r2 = decode_frame(&dec, out, &broken);
    r3 = decode_frame(&dec, out, &next);
    seen += out[0] == 33 && out[SLICE_SIZE] == 8;
    dec.hwaccel->uninit(&dec);
    puts(r1 == 0 && r2 == AVERROR_INVALIDDATA && r3 == AVERROR_EXTERNAL && seen == 1 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
