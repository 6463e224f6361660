#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 1024
#define NTAPS 16

struct desk {
    cudaStream_t stream;
    cudaGraphExec_t exec;
    float *d_in;
    float *d_mid;
    float *d_out;
    float *d_taps;
    float cutoff;
    float taps[NTAPS];
    float *gain; /* one pinned float */
    float *d_gain;
};

#define CK(call)                                                                   \
    do {                                                                           \
        cudaError_t ck_ = (call);                                                  \
        if (ck_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(ck_)); \
            return -1;                                                             \
        }                                                                          \
    } while (0)

static void design_taps(float *taps, float cutoff)
{
    int i;
    for (i = 0; i < NTAPS; i++)
        taps[i] = cutoff / (float)NTAPS;
}

__global__ void k_fir(const float *in, const float *taps, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0.0f;
    for (int t = 0; t < NTAPS; t++)
        acc += taps[t] * (i - t >= 0 ? in[i - t] : 0.0f);
    out[i] = acc;
}

__global__ void k_gain(const float *in, const float *gain, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * gain[0];
}

static int strip_taps(struct desk *d)
{
    CK(cudaMemcpyAsync(d->d_taps, d->taps, sizeof(d->taps), cudaMemcpyHostToDevice, d->stream));
    return 0;
}

static int strip_fir(struct desk *d)
{
    k_fir<<<BLOCK / 256, 256, 0, d->stream>>>(d->d_in, d->d_taps, d->d_mid);
    CK(cudaGetLastError());
    return 0;
}

static int strip_fader(struct desk *d)
{
    CK(cudaMemcpyAsync(d->d_gain, d->gain, sizeof(float), cudaMemcpyHostToDevice, d->stream));
    k_gain<<<BLOCK / 256, 256, 0, d->stream>>>(d->d_mid, d->d_gain, d->d_out);
    CK(cudaGetLastError());
    return 0;
}

static const struct {
    const char *name;
    int (*record)(struct desk *);
} strips[] = {
    {"taps", strip_taps},
    {"fir", strip_fir},
    {"fader", strip_fader},
};

static int desk_patch(struct desk *d)
{
    cudaGraph_t graph = NULL;
    cudaError_t err;
    size_t i;
    int rc = 0;

    CK(cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeGlobal));
    for (i = 0; rc == 0 && i < sizeof(strips) / sizeof(strips[0]); i++)
        rc = strips[i].record(d);
    err = cudaStreamEndCapture(d->stream, &graph);
    if (rc != 0 || err != cudaSuccess) {
        if (graph)
            cudaGraphDestroy(graph);
        return -1;
    }
    err = cudaGraphInstantiate(&d->exec, graph, 0);
    cudaGraphDestroy(graph);
    CK(err);
    return 0;
}

static void desk_set_fader(struct desk *d, float db)
{
    d->gain[0] = powf(10.0f, db / 20.0f);
}

static int desk_open(struct desk *d, float cutoff)
{
    memset(d, 0, sizeof(*d));
    d->cutoff = cutoff;
    CK(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    CK(cudaMalloc((void **)&d->d_in, BLOCK * sizeof(float)));
    CK(cudaMalloc((void **)&d->d_mid, BLOCK * sizeof(float)));
    CK(cudaMalloc((void **)&d->d_out, BLOCK * sizeof(float)));
    CK(cudaMalloc((void **)&d->d_taps, NTAPS * sizeof(float)));
    CK(cudaMalloc((void **)&d->d_gain, sizeof(float)));
    CK(cudaMallocHost((void **)&d->gain, sizeof(float)));
    design_taps(d->taps, d->cutoff);
    desk_set_fader(d, 0.0f);
    return desk_patch(d);
}

static int desk_process(struct desk *d, const float *in, float *out)
{
    CK(cudaMemcpyAsync(d->d_in, in, BLOCK * sizeof(float), cudaMemcpyHostToDevice, d->stream));
    CK(cudaGraphLaunch(d->exec, d->stream));
    CK(cudaMemcpyAsync(out, d->d_out, BLOCK * sizeof(float), cudaMemcpyDeviceToHost, d->stream));
    CK(cudaStreamSynchronize(d->stream));
    return 0;
}

static void desk_close(struct desk *d)
{
    if (d->exec)
        cudaGraphExecDestroy(d->exec);
    cudaFree(d->d_in);
    cudaFree(d->d_mid);
    cudaFree(d->d_out);
    cudaFree(d->d_taps);
    cudaFree(d->d_gain);
    cudaFreeHost(d->gain);
    if (d->stream)
        cudaStreamDestroy(d->stream);
}

int main(void)
{
    static float in[BLOCK], out[BLOCK];
    static const float fader_db[] = {0.0f, -20.0f, 6.0f};
    struct desk d;
    int i, good = 1;

    for (i = 0; i < BLOCK; i++)
        in[i] = 1.0f;
    if (desk_open(&d, 0.5f) != 0) {
        printf("LABEL REFUTED\n");
        return 0;
    }
    for (i = 0; i < 3; i++) {
        float want = 0.5f * powf(10.0f, fader_db[i] / 20.0f);
        desk_set_fader(&d, fader_db[i]);
        if (desk_process(&d, in, out) != 0)
            good = 0;
        printf("%.0f dB: %f (expected %f)\n", fader_db[i], out[BLOCK - 1], want);
        if (!(fabsf(out[BLOCK - 1] - want) < 1e-3f))
            good = 0;
    }
    desk_close(&d);
    printf(good ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
