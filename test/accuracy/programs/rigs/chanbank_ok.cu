/* Receiver bank: one IF block is tuned to baseband and fanned out to detectors with streams of their own. */
#include <cuda_runtime.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024, MAX_DETECTORS = 4 };
static const long long SETTLE_CYCLES = 40000000LL;

struct iq { float re, im; };

typedef struct detector_ops {
    const char *label;
    int (*attach)(void **self);
    int (*emit)(void *self, const iq *baseband, cudaStream_t st);
    int (*agrees)(const void *self, const iq *baseband);
    void (*detach)(void *self);
} detector_ops;

typedef struct detector {
    const detector_ops *ops;
    void *self;
    cudaStream_t stream;
    cudaEvent_t done;
} detector;

typedef struct bank {
    iq *d_raw, *d_base;
    iq *h_raw;
    cudaStream_t stream;
    cudaEvent_t ready;
    cudaGraphExec_t exec;
    detector det[MAX_DETECTORS];
    int ndet;
} bank;

/* Local oscillator: lock first, then rotate the block by a quarter of the sample rate. */
__global__ void tune_kernel(const iq *raw, iq *base, long long settle)
{
    const long long start = clock64();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (clock64() - start < settle) { }
    if (i >= BLOCK) return;
    iq s = raw[i], o;
    switch (i & 3) {
    case 0: o.re = s.re; o.im = s.im; break;
    case 1: o.re = s.im; o.im = -s.re; break;
    case 2: o.re = -s.re; o.im = -s.im; break;
    default: o.re = -s.im; o.im = s.re; break;
    }
    base[i] = o;
}

static void tune_host(const iq *raw, iq *base)
{
    for (int i = 0; i < BLOCK; ++i) {
        iq s = raw[i], o = s;
        int q = i & 3;
        if (q == 1) { o.re = s.im; o.im = -s.re; }
        if (q == 2) { o.re = -s.re; o.im = -s.im; }
        if (q == 3) { o.re = -s.im; o.im = s.re; }
        base[i] = o;
    }
}

/* ---- energy detector ---- */
typedef struct { float *d_bins, *h_bins; } energy_det;
enum { BINS = 16 };

__global__ void energy_kernel(const iq *base, float *bins)
{
    float e = 0.0f;
    for (int i = 0; i < BLOCK / BINS; ++i) {
        iq s = base[threadIdx.x * (BLOCK / BINS) + i];
        e += s.re * s.re + s.im * s.im;
    }
    bins[threadIdx.x] = e;
}

static void energy_detach(void *self)
{
    energy_det *d = (energy_det *)self;
    if (!d) return;
    cudaFree(d->d_bins);
    cudaFreeHost(d->h_bins);
    free(d);
}
static int energy_attach(void **self)
{
    energy_det *d = (energy_det *)calloc(1, sizeof *d);
    if (!d) return -ENOMEM;
    if (cudaMalloc((void **)&d->d_bins, BINS * sizeof(float)) != cudaSuccess ||
        cudaMallocHost((void **)&d->h_bins, BINS * sizeof(float)) != cudaSuccess) {
        energy_detach(d);
        return -ENOMEM;
    }
    *self = d;
    return 0;
}
static int energy_emit(void *self, const iq *baseband, cudaStream_t st)
{
    energy_det *d = (energy_det *)self;
    energy_kernel<<<1, BINS, 0, st>>>(baseband, d->d_bins);
    if (cudaGetLastError() != cudaSuccess) return -EIO;
    return cudaMemcpyAsync(d->h_bins, d->d_bins, BINS * sizeof(float), cudaMemcpyDeviceToHost, st) ? -EIO : 0;
}
static int energy_agrees(const void *self, const iq *baseband)
{
    const energy_det *d = (const energy_det *)self;
    for (int b = 0; b < BINS; ++b) {
        float e = 0.0f;
        for (int i = b * (BLOCK / BINS); i < (b + 1) * (BLOCK / BINS); ++i)
            e += baseband[i].re * baseband[i].re + baseband[i].im * baseband[i].im;
        if (fabsf(e - d->h_bins[b]) > 1e-3f * (1.0f + e)) return 0;
    }
    return 1;
}

/* ---- AM envelope at an eighth of the rate ---- */
typedef struct { float *d_env, *h_env; } envelope_det;

__global__ void envelope_kernel(const iq *base, float *env)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BLOCK / 8) env[i] = fmaxf(fabsf(base[8 * i].re), fabsf(base[8 * i].im));
}

static void envelope_detach(void *self)
{
    envelope_det *d = (envelope_det *)self;
    if (!d) return;
    cudaFree(d->d_env);
    cudaFreeHost(d->h_env);
    free(d);
}
static int envelope_attach(void **self)
{
    envelope_det *d = (envelope_det *)calloc(1, sizeof *d);
    if (!d) return -ENOMEM;
    if (cudaMalloc((void **)&d->d_env, BLOCK / 8 * sizeof(float)) != cudaSuccess ||
        cudaMallocHost((void **)&d->h_env, BLOCK / 8 * sizeof(float)) != cudaSuccess) {
        envelope_detach(d);
        return -ENOMEM;
    }
    *self = d;
    return 0;
}
static int envelope_emit(void *self, const iq *baseband, cudaStream_t st)
{
    envelope_det *d = (envelope_det *)self;
    envelope_kernel<<<1, BLOCK / 8, 0, st>>>(baseband, d->d_env);
    if (cudaGetLastError() != cudaSuccess) return -EIO;
    return cudaMemcpyAsync(d->h_env, d->d_env, BLOCK / 8 * sizeof(float), cudaMemcpyDeviceToHost, st) ? -EIO : 0;
}
static int envelope_agrees(const void *self, const iq *baseband)
{
    const envelope_det *d = (const envelope_det *)self;
    for (int i = 0; i < BLOCK / 8; ++i)
        if (d->h_env[i] != fmaxf(fabsf(baseband[8 * i].re), fabsf(baseband[8 * i].im))) return 0;
    return 1;
}

static const detector_ops k_energy = { "energy", energy_attach, energy_emit, energy_agrees, energy_detach };
static const detector_ops k_envelope = { "envelope", envelope_attach, envelope_emit, envelope_agrees, envelope_detach };

static void bank_close(bank *b)
{
    if (!b) return;
    if (b->exec) cudaGraphExecDestroy(b->exec);
    for (int i = 0; i < b->ndet; ++i) {
        if (b->det[i].self) b->det[i].ops->detach(b->det[i].self);
        if (b->det[i].done) cudaEventDestroy(b->det[i].done);
        if (b->det[i].stream) cudaStreamDestroy(b->det[i].stream);
    }
    if (b->ready) cudaEventDestroy(b->ready);
    if (b->stream) cudaStreamDestroy(b->stream);
    cudaFree(b->d_raw);
    cudaFree(b->d_base);
    cudaFreeHost(b->h_raw);
    free(b);
}

static int bank_open(bank **out, const detector_ops *const *list, int count)
{
    int rc = -ENOMEM;
    bank *b = (bank *)calloc(1, sizeof *b);
    if (!b) return rc;
    if (cudaMalloc((void **)&b->d_raw, BLOCK * sizeof(iq)) != cudaSuccess) goto fail;
    if (cudaMalloc((void **)&b->d_base, BLOCK * sizeof(iq)) != cudaSuccess) goto fail;
    if (cudaMallocHost((void **)&b->h_raw, BLOCK * sizeof(iq)) != cudaSuccess) goto fail;
    if (cudaMemset(b->d_base, 0, BLOCK * sizeof(iq)) != cudaSuccess) goto fail;
    rc = -EIO;
    if (cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking) != cudaSuccess) goto fail;
    if (cudaEventCreateWithFlags(&b->ready, cudaEventDisableTiming) != cudaSuccess) goto fail;
    for (int i = 0; i < count; ++i) {
        detector *d = &b->det[b->ndet++];
        d->ops = list[i];
        if ((rc = d->ops->attach(&d->self)) != 0) goto fail;
        rc = -EIO;
        if (cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking) != cudaSuccess) goto fail;
        if (cudaEventCreateWithFlags(&d->done, cudaEventDisableTiming) != cudaSuccess) goto fail;
    }
    if (cudaDeviceSynchronize() != cudaSuccess) goto fail;
    *out = b;
    return 0;
fail:
    bank_close(b);
    return rc;
}

static int bank_fan_out(bank *b)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < b->ndet; ++i) {
        detector *d = &b->det[i];
        if (cudaStreamWaitEvent(d->stream, b->ready, 0) != cudaSuccess) return -EIO;
        rc = d->ops->emit(d->self, b->d_base, d->stream);
        if (cudaEventRecord(d->done, d->stream) != cudaSuccess) rc = -EIO;
        if (cudaStreamWaitEvent(b->stream, d->done, 0) != cudaSuccess) rc = -EIO;
    }
    return rc;
}

static int bank_record(bank *b)
{
    cudaGraph_t g = NULL;
    int rc = 0;
    if (cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return -EIO;
    if (cudaMemcpyAsync(b->d_raw, b->h_raw, BLOCK * sizeof(iq), cudaMemcpyHostToDevice, b->stream) != cudaSuccess)
        rc = -EIO;
    if (rc == 0) {
        tune_kernel<<<BLOCK / 256, 256, 0, b->stream>>>(b->d_raw, b->d_base, SETTLE_CYCLES);
        if (cudaGetLastError() != cudaSuccess) rc = -EIO;
    }
    if (rc == 0 && cudaEventRecord(b->ready, b->stream) != cudaSuccess) rc = -EIO;
    if (rc == 0) rc = bank_fan_out(b);
    if (cudaStreamEndCapture(b->stream, &g) != cudaSuccess && rc == 0) rc = -EIO;
    if (rc == 0 && cudaGraphInstantiate(&b->exec, g, 0) != cudaSuccess) rc = -EIO;
    if (g) cudaGraphDestroy(g);
    return rc;
}

int main(void)
{
    static const detector_ops *const list[] = { &k_energy, &k_envelope };
    static iq base[BLOCK];
    bank *b = NULL;
    int hits[2] = { 0, 0 }, blocks = 0;
    int rc = bank_open(&b, list, 2);
    if (rc == 0) rc = bank_record(b);
    for (; rc == 0 && blocks < 5; ++blocks) {
        const float amp = 1.0f + 0.75f * (float)blocks;
        for (int i = 0; i < BLOCK; ++i) {
            b->h_raw[i].re = amp * cosf(0.05f * (float)i);
            b->h_raw[i].im = amp * sinf(0.05f * (float)i + 0.3f * (float)blocks);
        }
        if (cudaGraphLaunch(b->exec, b->stream) != cudaSuccess) rc = -EIO;
        if (rc == 0 && cudaStreamSynchronize(b->stream) != cudaSuccess) rc = -EIO;
        tune_host(b->h_raw, base);
        for (int i = 0; rc == 0 && i < b->ndet; ++i) hits[i] += b->det[i].ops->agrees(b->det[i].self, base);
    }
    printf("rc %d, %d blocks, energy right %d, envelope right %d\n", rc, blocks, hits[0], hits[1]);
    bank_close(b);
    puts(rc == 0 && hits[0] == 5 && hits[1] == 5 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
