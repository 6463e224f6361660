/* Erasure coding for an object vault: parity shards over GF(256), one codec table per engine. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GV_OK = 0, GV_ENOMEM = -12, GV_EDRIVER = -5, GV_ESHAPE = -22 };
enum { SHARDS = 6, PARITY = 3, SHARD_BYTES = 4096, CODE_BYTES = SHARDS * PARITY };

typedef struct codec_ops {
    const char *engine;
    int (*open)(void **ctx);
    int (*set_code)(void *ctx, const unsigned char *code, int rows, int cols);
    int (*encode)(void *ctx, const unsigned char *data, unsigned char *parity);
    void (*close)(void *ctx);
} codec_ops;

__host__ __device__ static inline unsigned char gf_mul(unsigned char a, unsigned char b)
{
    unsigned int acc = 0, x = a;
    for (int bit = 0; bit < 8; ++bit) {
        if (b & (1u << bit)) acc ^= x;
        x <<= 1;
        if (x & 0x100u) x ^= 0x11du;
    }
    return (unsigned char)acc;
}

/* ---- reference engine ---- */
typedef struct { unsigned char code[CODE_BYTES]; } ref_codec;

static int ref_open(void **ctx)
{
    *ctx = calloc(1, sizeof(ref_codec));
    return *ctx ? GV_OK : GV_ENOMEM;
}
static int ref_set_code(void *ctx, const unsigned char *code, int rows, int cols)
{
    if (rows != PARITY || cols != SHARDS) return GV_ESHAPE;
    memcpy(((ref_codec *)ctx)->code, code, CODE_BYTES);
    return GV_OK;
}
static int ref_encode(void *ctx, const unsigned char *data, unsigned char *parity)
{
    const ref_codec *c = (const ref_codec *)ctx;
    for (int p = 0; p < PARITY; ++p)
        for (int i = 0; i < SHARD_BYTES; ++i) {
            unsigned char v = 0;
            for (int k = 0; k < SHARDS; ++k) v ^= gf_mul(c->code[p * SHARDS + k], data[k * SHARD_BYTES + i]);
            parity[p * SHARD_BYTES + i] = v;
        }
    return GV_OK;
}

/* ---- device engine ---- */
typedef struct {
    CUstream stream;
    CUgraphExec exec;
    CUdeviceptr d_code;
    CUdeviceptr d_data;
    CUdeviceptr d_parity;
    unsigned char *h_data;
    unsigned char *h_parity;
    CUresult last;
} dev_codec;

__global__ void parity_kernel(const unsigned char *code, const unsigned char *data, unsigned char *parity)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.y;
    if (i >= SHARD_BYTES) return;
    unsigned char v = 0;
    for (int k = 0; k < SHARDS; ++k) v ^= gf_mul(code[p * SHARDS + k], data[k * SHARD_BYTES + i]);
    parity[p * SHARD_BYTES + i] = v;
}

#define TRY(c, call) do { (c)->last = (call); if ((c)->last != CUDA_SUCCESS) goto fail; } while (0)

static void dev_close(void *ctx)
{
    dev_codec *c = (dev_codec *)ctx;
    if (!c) return;
    if (c->exec) cuGraphExecDestroy(c->exec);
    if (c->stream) cuStreamDestroy(c->stream);
    if (c->d_code) cuMemFree(c->d_code);
    if (c->d_data) cuMemFree(c->d_data);
    if (c->d_parity) cuMemFree(c->d_parity);
    if (c->h_data) cuMemFreeHost(c->h_data);
    if (c->h_parity) cuMemFreeHost(c->h_parity);
    free(c);
}

static int dev_open(void **ctx)
{
    dev_codec *c = (dev_codec *)calloc(1, sizeof *c);
    if (!c) return GV_ENOMEM;
    TRY(c, cuStreamCreate(&c->stream, CU_STREAM_NON_BLOCKING));
    TRY(c, cuMemAlloc(&c->d_data, SHARDS * SHARD_BYTES));
    TRY(c, cuMemAlloc(&c->d_parity, PARITY * SHARD_BYTES));
    TRY(c, cuMemAllocHost((void **)&c->h_data, SHARDS * SHARD_BYTES));
    TRY(c, cuMemAllocHost((void **)&c->h_parity, PARITY * SHARD_BYTES));
    *ctx = c;
    return GV_OK;
fail:
    dev_close(c);
    return GV_EDRIVER;
}

static int dev_set_code(void *ctx, const unsigned char *code, int rows, int cols)
{
    dev_codec *c = (dev_codec *)ctx;
    CUdeviceptr fresh = 0;
    if (rows != PARITY || cols != SHARDS) return GV_ESHAPE;
    TRY(c, cuMemAlloc(&fresh, CODE_BYTES));
    TRY(c, cuMemcpyHtoD(fresh, code, CODE_BYTES));
    if (c->d_code) TRY(c, cuMemFree(c->d_code)); // HAZARD dangling #code
    c->d_code = fresh;
    return GV_OK;
fail:
    if (fresh) cuMemFree(fresh);
    return GV_EDRIVER;
}

static int dev_record(dev_codec *c)
{
    const dim3 grid((SHARD_BYTES + 127) / 128, PARITY);
    CUgraph g = NULL;
    CUresult body, end;

    TRY(c, cuStreamBeginCapture(c->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    body = cuMemcpyHtoDAsync(c->d_data, c->h_data, SHARDS * SHARD_BYTES, c->stream);
    if (body == CUDA_SUCCESS) {
        parity_kernel<<<grid, 128, 0, (cudaStream_t)c->stream>>>((const unsigned char *)c->d_code, (const unsigned char *)c->d_data, (unsigned char *)c->d_parity); // HAZARD dangling #code
        if (cudaGetLastError() != cudaSuccess) body = CUDA_ERROR_LAUNCH_FAILED;
    }
    if (body == CUDA_SUCCESS)
        body = cuMemcpyDtoHAsync(c->h_parity, c->d_parity, PARITY * SHARD_BYTES, c->stream);
    end = cuStreamEndCapture(c->stream, &g);
    TRY(c, body);
    TRY(c, end);
    TRY(c, cuGraphInstantiate(&c->exec, g, 0));
    cuGraphDestroy(g);
    return GV_OK;
fail:
    if (g) cuGraphDestroy(g);
    return GV_EDRIVER;
}

static int dev_encode(void *ctx, const unsigned char *data, unsigned char *parity)
{
    dev_codec *c = (dev_codec *)ctx;
    int rc;
    if (!c->exec && (rc = dev_record(c)) != GV_OK) return rc;
    memcpy(c->h_data, data, SHARDS * SHARD_BYTES);
    TRY(c, cuGraphLaunch(c->exec, c->stream));
    TRY(c, cuStreamSynchronize(c->stream));
    memcpy(parity, c->h_parity, PARITY * SHARD_BYTES);
    return GV_OK;
fail:
    return GV_EDRIVER;
}

static const codec_ops k_reference = { "reference", ref_open, ref_set_code, ref_encode, free };
static const codec_ops k_device = { "device", dev_open, dev_set_code, dev_encode, dev_close };

/* ---- repair journal kept on the device ---- */
typedef struct { CUdeviceptr entries; } journal;

static CUresult journal_start(journal *j)
{
    CUresult cr = cuMemAlloc(&j->entries, CODE_BYTES);
    return cr == CUDA_SUCCESS ? cuMemsetD8(j->entries, 0x5a, CODE_BYTES) : cr;
}

static void make_code(unsigned char *code, unsigned char base)
{
    for (int p = 0; p < PARITY; ++p)
        for (int k = 0; k < SHARDS; ++k) code[p * SHARDS + k] = (unsigned char)(base + 31 * p + 7 * k + 1);
}

static int compare_round(void **ctx, const codec_ops *const *ops, int round, int *same)
{
    static unsigned char data[SHARDS * SHARD_BYTES], parity[2][PARITY * SHARD_BYTES];
    for (int i = 0; i < SHARDS * SHARD_BYTES; ++i) data[i] = (unsigned char)(i * 13 + (i >> 8) + 29 * round + 1);
    for (int e = 0; e < 2; ++e) {
        int rc = ops[e]->encode(ctx[e], data, parity[e]);
        if (rc != GV_OK) return rc;
    }
    *same = memcmp(parity[0], parity[1], sizeof parity[0]) == 0;
    return GV_OK;
}

int main(void)
{
    const codec_ops *ops[2] = { &k_reference, &k_device };
    void *ctx[2] = { NULL, NULL };
    unsigned char code[CODE_BYTES];
    CUdevice dev;
    CUcontext primary = NULL;
    journal jr = { 0 };
    int rc = GV_OK, before = 0, after = 0;

    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&dev, 0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&primary, dev) != CUDA_SUCCESS || cuCtxSetCurrent(primary) != CUDA_SUCCESS) {
        puts("LABEL WRONG");
        return 1;
    }
    make_code(code, 0);
    for (int e = 0; rc == GV_OK && e < 2; ++e) {
        rc = ops[e]->open(&ctx[e]);
        if (rc == GV_OK) rc = ops[e]->set_code(ctx[e], code, PARITY, SHARDS);
    }
    for (int round = 0; rc == GV_OK && round < 6; ++round) {
        int same = 0;
        if (round == 3) {
            make_code(code, 90);
            for (int e = 0; rc == GV_OK && e < 2; ++e) rc = ops[e]->set_code(ctx[e], code, PARITY, SHARDS);
            if (rc == GV_OK && journal_start(&jr) != CUDA_SUCCESS) rc = GV_EDRIVER;
        }
        if (rc == GV_OK) rc = compare_round(ctx, ops, round, &same);
        *(round < 3 ? &before : &after) += same;
    }
    printf("rc %d, rounds equal: %d with the first code, %d with the second\n", rc, before, after);
    for (int e = 0; e < 2; ++e)
        if (ctx[e]) ops[e]->close(ctx[e]);
    if (jr.entries) cuMemFree(jr.entries);
    cuDevicePrimaryCtxRelease(dev);
    puts(rc == GV_OK && before == 3 && after == 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
