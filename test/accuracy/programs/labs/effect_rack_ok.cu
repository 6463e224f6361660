// effect_rack: a chain of audio effects, each described by a table of operations.  The whole chain for one block of
// samples is captured once and replayed for every block the audio thread delivers.
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { FX_OK = 0, FX_ECUDA = -1, FX_EINVAL = -2, FX_ENOMEM = -3 } fx_status;

static fx_status fx_from_cuda(cudaError_t e, const char *what) {
    if (e == cudaSuccess) return FX_OK;
    fprintf(stderr, "effect_rack: %s: %s\n", what, cudaGetErrorString(e));
    return FX_ECUDA;
}

#define FX_CUDA(call)                                        \
    do {                                                     \
        if (fx_from_cuda((call), #call) != FX_OK) goto fail; \
    } while (0)

enum { FX_BLOCK = 2048, FX_MAX_UNITS = 8 };

struct fx_unit;

typedef struct fx_ops {
    const char *name;
    fx_status (*open)(fx_unit *u, float initial, cudaStream_t s);
    fx_status (*enqueue)(fx_unit *u, float *buf, int n, cudaStream_t s);
    fx_status (*set)(fx_unit *u, float value, cudaStream_t s); /* NULL: not adjustable once opened */
    void (*close)(fx_unit *u);
} fx_ops;

struct fx_unit {
    const fx_ops *ops;
    float value;
    float *d_value;
};

typedef struct fx_rack {
    fx_unit units[FX_MAX_UNITS];
    int count;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    float *h_io; /* pinned, in and out */
    float *d_buf;
} fx_rack;

__global__ void k_drive(float *x, int n, const float *gain) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= *gain;
}

__global__ void k_clip(float *x, int n, float limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fminf(fmaxf(x[i], -limit), limit);
}

__global__ void k_level(float *x, int n, const float *level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= *level;
}

/* ---- operations common to units with a knob ---- */
static fx_status knob_set(fx_unit *u, float value, cudaStream_t s) {
    u->value = value;
    return fx_from_cuda(cudaMemcpyAsync(u->d_value, &u->value, sizeof(float), cudaMemcpyHostToDevice, s), "knob");
}

static fx_status knob_open(fx_unit *u, float initial, cudaStream_t s) {
    fx_status st = fx_from_cuda(cudaMalloc(&u->d_value, sizeof(float)), "knob alloc");
    return st == FX_OK ? knob_set(u, initial, s) : st;
}

static void knob_close(fx_unit *u) {
    cudaFree(u->d_value);
    u->d_value = NULL;
}

static fx_status fixed_open(fx_unit *u, float initial, cudaStream_t s) {
    (void)s;
    if (!(initial > 0.f)) return FX_EINVAL;
    u->value = initial;
    return FX_OK;
}

static void fixed_close(fx_unit *u) { (void)u; }

static fx_status drive_enqueue(fx_unit *u, float *buf, int n, cudaStream_t s) {
    k_drive<<<(n + 255) / 256, 256, 0, s>>>(buf, n, u->d_value);
    return fx_from_cuda(cudaGetLastError(), "drive");
}

static fx_status clip_enqueue(fx_unit *u, float *buf, int n, cudaStream_t s) {
    k_clip<<<(n + 255) / 256, 256, 0, s>>>(buf, n, u->value);
    return fx_from_cuda(cudaGetLastError(), "clip");
}

static fx_status level_enqueue(fx_unit *u, float *buf, int n, cudaStream_t s) {
    k_level<<<(n + 255) / 256, 256, 0, s>>>(buf, n, u->d_value);
    return fx_from_cuda(cudaGetLastError(), "level");
}

static const fx_ops k_ops_drive = {"drive", knob_open, drive_enqueue, knob_set, knob_close};
static const fx_ops k_ops_clip = {"clip", fixed_open, clip_enqueue, NULL, fixed_close};
static const fx_ops k_ops_level = {"level", knob_open, level_enqueue, knob_set, knob_close};

/* ---- rack ---- */
static fx_status rack_add(fx_rack *r, const fx_ops *ops, float initial) {
    if (r->count == FX_MAX_UNITS || r->exec) return FX_EINVAL;
    fx_unit *u = &r->units[r->count];
    u->ops = ops;
    fx_status st = ops->open(u, initial, r->stream);
    if (st == FX_OK) r->count++;
    return st;
}

static fx_status rack_set(fx_rack *r, const char *name, float value) {
    for (int i = 0; i < r->count; ++i) {
        fx_unit *u = &r->units[i];
        if (strcmp(u->ops->name, name) == 0) return u->ops->set ? u->ops->set(u, value, r->stream) : FX_EINVAL;
    }
    return FX_EINVAL;
}

static fx_status rack_enqueue_block(fx_rack *r) {
    fx_status st = fx_from_cuda(
        cudaMemcpyAsync(r->d_buf, r->h_io, FX_BLOCK * sizeof(float), cudaMemcpyHostToDevice, r->stream), "upload");
    for (int i = 0; i < r->count && st == FX_OK; ++i)
        st = r->units[i].ops->enqueue(&r->units[i], r->d_buf, FX_BLOCK, r->stream);
    if (st != FX_OK) return st;
    return fx_from_cuda(
        cudaMemcpyAsync(r->h_io, r->d_buf, FX_BLOCK * sizeof(float), cudaMemcpyDeviceToHost, r->stream), "download");
}

static fx_status rack_seal(fx_rack *r) {
    cudaGraph_t graph = NULL;
    fx_status body, end;
    FX_CUDA(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeGlobal));
    body = rack_enqueue_block(r);
    end = fx_from_cuda(cudaStreamEndCapture(r->stream, &graph), "end capture");
    if (body != FX_OK || end != FX_OK) goto fail;
    FX_CUDA(cudaGraphInstantiate(&r->exec, graph, 0));
    cudaGraphDestroy(graph);
    return FX_OK;
fail:
    if (graph) cudaGraphDestroy(graph);
    return FX_ECUDA;
}

static fx_status rack_process(fx_rack *r, const float *in, float *out) {
    memcpy(r->h_io, in, FX_BLOCK * sizeof(float));
    FX_CUDA(cudaGraphLaunch(r->exec, r->stream));
    FX_CUDA(cudaStreamSynchronize(r->stream));
    memcpy(out, r->h_io, FX_BLOCK * sizeof(float));
    return FX_OK;
fail:
    return FX_ECUDA;
}

static void rack_close(fx_rack *r) {
    if (r->exec) cudaGraphExecDestroy(r->exec);
    for (int i = 0; i < r->count; ++i) r->units[i].ops->close(&r->units[i]);
    cudaFree(r->d_buf);
    cudaFreeHost(r->h_io);
    cudaStreamDestroy(r->stream);
}

int main(void) {
    static const float drives[4] = {1.f, 3.f, 3.f, 0.5f}, levels[4] = {0.8f, 0.8f, 0.25f, 2.f};
    static float in[FX_BLOCK], out[FX_BLOCK];
    fx_rack rack;
    memset(&rack, 0, sizeof rack);
    fx_status st = FX_OK;
    int wrong = 0;

    if (cudaStreamCreateWithFlags(&rack.stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMallocHost(&rack.h_io, sizeof in) != cudaSuccess || cudaMalloc(&rack.d_buf, sizeof in) != cudaSuccess)
        st = FX_ENOMEM;
    if (st == FX_OK) st = rack_add(&rack, &k_ops_drive, drives[0]);
    if (st == FX_OK) st = rack_add(&rack, &k_ops_clip, 0.9f);
    if (st == FX_OK) st = rack_add(&rack, &k_ops_level, levels[0]);
    if (st == FX_OK) st = rack_seal(&rack);
    for (int b = 0; b < 4 && st == FX_OK; ++b) {
        for (int i = 0; i < FX_BLOCK; ++i) in[i] = sinf(0.01f * (float)(i + b * FX_BLOCK));
        st = rack_set(&rack, "drive", drives[b]);
        if (st == FX_OK) st = rack_set(&rack, "level", levels[b]);
        if (st == FX_OK) st = rack_process(&rack, in, out);
        for (int i = 0; i < FX_BLOCK && st == FX_OK; ++i) {
            float want = fminf(fmaxf(in[i] * drives[b], -0.9f), 0.9f) * levels[b];
            if (fabsf(out[i] - want) > 1e-5f) wrong++;
        }
    }
    rack_close(&rack);
    printf("status %d, wrong samples %d\n", (int)st, wrong);
    puts(st == FX_OK && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
