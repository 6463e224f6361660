/* Packet offload service: a traffic profile is a list of operations applied to a batch of fixed-size frames. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME = 128, BATCH = 96 };

typedef enum pp_status { PP_OK = 0, PP_EUNSUP = 1, PP_EDRIVER = 2, PP_ENOMEM = 3, PP_ENOPROFILE = 4 } pp_status;

struct pp_engine;

typedef struct pp_op {
    const char *name;
    pp_status (*emit)(const struct pp_engine *e, int arg);
    void (*apply)(uint8_t *frames, uint32_t *digest, int arg);
} pp_op;

typedef struct pp_step {
    const pp_op *op;
    int arg;
} pp_step;

typedef struct pp_engine {
    CUstream stream;
    CUgraphExec exec;
    CUdeviceptr frames, digest;
    uint8_t *h_frames;
    uint32_t *h_digest;
    CUresult driver_status;
} pp_engine;

static pp_status launched(void)
{
    return cudaGetLastError() == cudaSuccess ? PP_OK : PP_EDRIVER;
}

/* ---- hop: decrement the hop limit at a byte offset ---- */
__global__ void hop_kernel(uint8_t *frames, int offset)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f < BATCH && frames[f * FRAME + offset]) frames[f * FRAME + offset] -= 1;
}
static pp_status hop_emit(const pp_engine *e, int offset)
{
    if (offset < 0 || offset >= FRAME) return PP_EUNSUP;
    hop_kernel<<<1, BATCH, 0, e->stream>>>((uint8_t *)e->frames, offset);
    return launched();
}
static void hop_apply(uint8_t *frames, uint32_t *, int offset)
{
    for (int f = 0; f < BATCH; ++f)
        if (frames[f * FRAME + offset]) frames[f * FRAME + offset] -= 1;
}

/* ---- untag: remove a tag of four bytes in front of the payload ---- */
__global__ void untag_kernel(uint8_t *frames, int header)
{
    uint8_t *p = frames + (blockIdx.x * blockDim.x + threadIdx.x) * FRAME;
    for (int i = header; i + 4 < FRAME; ++i) p[i] = p[i + 4];
    for (int i = FRAME - 4; i < FRAME; ++i) p[i] = 0;
}
static pp_status untag_emit(const pp_engine *e, int header)
{
    if (header < 0 || header % 4 != 0 || header + 8 > FRAME) return PP_EUNSUP;
    untag_kernel<<<1, BATCH, 0, e->stream>>>((uint8_t *)e->frames, header);
    return launched();
}
static void untag_apply(uint8_t *frames, uint32_t *, int header)
{
    for (int f = 0; f < BATCH; ++f) {
        uint8_t *p = frames + f * FRAME;
        memmove(p + header, p + header + 4, (size_t)(FRAME - 4 - header));
        memset(p + FRAME - 4, 0, 4);
    }
}

/* ---- digest: FNV-1a from a byte offset to the end ---- */
__host__ __device__ static inline uint32_t fnv(const uint8_t *p, int n)
{
    uint32_t h = 2166136261u;
    for (int i = 0; i < n; ++i) h = (h ^ p[i]) * 16777619u;
    return h;
}
__global__ void digest_kernel(const uint8_t *frames, uint32_t *digest, int from)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f < BATCH) digest[f] = fnv(frames + f * FRAME + from, FRAME - from);
}
static pp_status digest_emit(const pp_engine *e, int from)
{
    if (from < 0 || from >= FRAME) return PP_EUNSUP;
    digest_kernel<<<1, BATCH, 0, e->stream>>>((const uint8_t *)e->frames, (uint32_t *)e->digest, from);
    return launched();
}
static void digest_apply(uint8_t *frames, uint32_t *digest, int from)
{
    for (int f = 0; f < BATCH; ++f) digest[f] = fnv(frames + f * FRAME + from, FRAME - from);
}

static const pp_op OP_HOP = { "hop", hop_emit, hop_apply };
static const pp_op OP_UNTAG = { "untag", untag_emit, untag_apply };
static const pp_op OP_DIGEST = { "digest", digest_emit, digest_apply };

#define DRV(e, call) do { (e)->driver_status = (call); if ((e)->driver_status != CUDA_SUCCESS) { rc = PP_EDRIVER; goto fail; } } while (0)

static void pp_close(pp_engine *e)
{
    if (!e) return;
    if (e->exec) cuGraphExecDestroy(e->exec);
    if (e->stream) cuStreamDestroy(e->stream);
    if (e->frames) cuMemFree(e->frames);
    if (e->digest) cuMemFree(e->digest);
    if (e->h_frames) cuMemFreeHost(e->h_frames);
    if (e->h_digest) cuMemFreeHost(e->h_digest);
    free(e);
}

static pp_status pp_open(pp_engine **out)
{
    pp_status rc = PP_OK;
    pp_engine *e = (pp_engine *)calloc(1, sizeof *e);
    if (!e) return PP_ENOMEM;
    DRV(e, cuStreamCreate(&e->stream, CU_STREAM_NON_BLOCKING));
    DRV(e, cuMemAlloc(&e->frames, BATCH * FRAME));
    DRV(e, cuMemAlloc(&e->digest, BATCH * sizeof(uint32_t)));
    DRV(e, cuMemAllocHost((void **)&e->h_frames, BATCH * FRAME));
    DRV(e, cuMemAllocHost((void **)&e->h_digest, BATCH * sizeof(uint32_t)));
    *out = e;
    return PP_OK;
fail:
    pp_close(e);
    return rc;
}

static pp_status pp_load_profile(pp_engine *e, const pp_step *steps, int count)
{
    pp_status rc = PP_OK;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    int i, recording = 0;

    DRV(e, cuStreamBeginCapture(e->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    recording = 1;
    DRV(e, cuMemcpyHtoDAsync(e->frames, e->h_frames, BATCH * FRAME, e->stream));
    for (i = 0; i < count; ++i) {
        rc = steps[i].op->emit(e, steps[i].arg);
        if (rc != PP_OK) goto fail;
    }
    DRV(e, cuMemcpyDtoHAsync(e->h_digest, e->digest, BATCH * sizeof(uint32_t), e->stream));
    recording = 0;
    DRV(e, cuStreamEndCapture(e->stream, &graph));
    DRV(e, cuGraphInstantiate(&exec, graph, 0));
    if (e->exec) DRV(e, cuGraphExecDestroy(e->exec));
    e->exec = exec;
    exec = NULL;
fail:
    if (recording) {
        CUresult closed = cuStreamEndCapture(e->stream, &graph);
        if (closed != CUDA_SUCCESS && rc != PP_EUNSUP) e->driver_status = closed;
    }
    if (exec) cuGraphExecDestroy(exec);
    if (graph) cuGraphDestroy(graph);
    return rc;
}

static pp_status pp_run(pp_engine *e, int serial)
{
    pp_status rc = PP_OK;
    if (!e->exec) return PP_ENOPROFILE;
    for (int i = 0; i < BATCH * FRAME; ++i) e->h_frames[i] = (uint8_t)(i * 7 + (i >> 5) * 3 + serial * 11);
    DRV(e, cuGraphLaunch(e->exec, e->stream));
    DRV(e, cuStreamSynchronize(e->stream));
fail:
    return rc;
}

static int pp_matches(const pp_engine *e, const pp_step *steps, int count)
{
    static uint8_t frames[BATCH * FRAME];
    static uint32_t digest[BATCH];
    memcpy(frames, e->h_frames, sizeof frames);
    for (int i = 0; i < count; ++i) steps[i].op->apply(frames, digest, steps[i].arg);
    return memcmp(digest, e->h_digest, sizeof digest) == 0;
}

static pp_status run_batches(pp_engine *e, const pp_step *steps, int count, int *right)
{
    pp_status rc = PP_OK;
    for (int serial = 0; rc == PP_OK && serial < 3; ++serial)
        if ((rc = pp_run(e, serial)) == PP_OK) *right += pp_matches(e, steps, count);
    return rc;
}

int main(void)
{
    const pp_step transit[] = { { &OP_HOP, 8 }, { &OP_DIGEST, 14 } };
    const pp_step tagged[] = { { &OP_HOP, 8 }, { &OP_UNTAG, 14 }, { &OP_DIGEST, 14 } };
    const pp_step tunnel[] = { { &OP_UNTAG, 12 }, { &OP_HOP, 22 }, { &OP_DIGEST, 12 } };
    pp_engine *e = NULL;
    pp_status first, second, third;
    CUdevice dev;
    CUcontext primary = NULL;
    int right = 0;

    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&dev, 0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&primary, dev) != CUDA_SUCCESS || cuCtxSetCurrent(primary) != CUDA_SUCCESS ||
        pp_open(&e) != PP_OK) {
        puts("LABEL WRONG");
        return 1;
    }
    first = pp_load_profile(e, transit, 2);
    if (first == PP_OK) first = run_batches(e, transit, 2, &right);
    second = pp_load_profile(e, tagged, 3);
    third = pp_load_profile(e, tunnel, 3);
    if (third == PP_OK) third = run_batches(e, tunnel, 3, &right);
    printf("transit %d (%d right), tagged %d, tunnel %d, driver %d\n", first, right, second, third, (int)e->driver_status);
    const int seen = first == PP_OK && right == 6 && second == PP_EUNSUP && third == PP_OK;
    pp_close(e);
    cuDevicePrimaryCtxRelease(dev);
    puts(seen ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
