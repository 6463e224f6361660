/* Smoothing of a sampled string for the physical-modelling synthesiser. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STR_POINTS 256

enum { STR_OK = 0, STR_EGPU = 1, STR_EARG = 2 };

struct string_sim {
    float *buf[2];
    int cur;
    cudaStream_t stream;
    cudaGraphExec_t exec;
};

typedef int (*string_body)(struct string_sim *);

__global__ void smooth(const float *src, float *dst)
{
    int i = threadIdx.x;
    float l = i > 0 ? src[i - 1] : 0.0f;
    float r = i < STR_POINTS - 1 ? src[i + 1] : 0.0f;
    dst[i] = 0.25f * l + 0.5f * src[i] + 0.25f * r;
}

static int smooth_from(struct string_sim *sim, int cur)
{
    smooth<<<1, STR_POINTS, 0, sim->stream>>>(sim->buf[cur], sim->buf[cur ^ 1]);
    return cudaGetLastError() == cudaSuccess ? STR_OK : STR_EGPU;
}

static int string_pair(struct string_sim *sim)
{
    int cur = sim->cur;
    int rc = smooth_from(sim, cur);
    cur ^= 1;
    if (rc == STR_OK)
        rc = smooth_from(sim, cur);
    return rc;
}

static int string_record(struct string_sim *sim, string_body body)
{
    cudaGraph_t g = NULL;
    int rc, built;
    if (cudaStreamBeginCapture(sim->stream, cudaStreamCaptureModeGlobal) != cudaSuccess)
        return STR_EGPU;
    rc = body(sim);
    if (cudaStreamEndCapture(sim->stream, &g) != cudaSuccess)
        return STR_EGPU;
    built = rc == STR_OK && cudaGraphInstantiate(&sim->exec, g, 0) == cudaSuccess;
    cudaGraphDestroy(g);
    return built ? STR_OK : STR_EGPU;
}

static int string_open(struct string_sim *sim, const float *pluck)
{
    memset(sim, 0, sizeof *sim);
    if (cudaStreamCreateWithFlags(&sim->stream, cudaStreamNonBlocking) != cudaSuccess)
        return STR_EGPU;
    for (int k = 0; k < 2; ++k) {
        if (cudaMalloc((void **)&sim->buf[k], STR_POINTS * sizeof(float)) != cudaSuccess)
            return STR_EGPU;
        if (cudaMemcpy(sim->buf[k], pluck, STR_POINTS * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess)
            return STR_EGPU;
    }
    return cudaDeviceSynchronize() == cudaSuccess ? STR_OK : STR_EGPU;
}

static int string_run(struct string_sim *sim, int steps)
{
    int rc = STR_OK;
    if (steps < 0 || steps % 2)
        return STR_EARG;
    if (!sim->exec)
        rc = string_record(sim, string_pair);
    for (int i = 0; rc == STR_OK && i < steps / 2; ++i)
        if (cudaGraphLaunch(sim->exec, sim->stream) != cudaSuccess)
            rc = STR_EGPU;
    if (cudaStreamSynchronize(sim->stream) != cudaSuccess)
        rc = STR_EGPU;
    return rc;
}

static int string_read(const struct string_sim *sim, float *out)
{
    return cudaMemcpy(out, sim->buf[sim->cur], STR_POINTS * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess
               ? STR_OK
               : STR_EGPU;
}

static void string_close(struct string_sim *sim)
{
    if (sim->exec)
        cudaGraphExecDestroy(sim->exec);
    for (int k = 0; k < 2; ++k)
        cudaFree(sim->buf[k]);
    if (sim->stream)
        cudaStreamDestroy(sim->stream);
}

static void host_smooth(float *x, int steps)
{
    float y[STR_POINTS];
    while (steps-- > 0) {
        for (int i = 0; i < STR_POINTS; ++i)
            y[i] = 0.25f * (i > 0 ? x[i - 1] : 0) + 0.5f * x[i] + 0.25f * (i < STR_POINTS - 1 ? x[i + 1] : 0);
        memcpy(x, y, sizeof y);
    }
}

int main(void)
{
    static float host[STR_POINTS], gpu[STR_POINTS];
    struct string_sim sim;
    int right = 1;
    host[STR_POINTS / 2] = 1024.0f;
    if (string_open(&sim, host) || string_run(&sim, 6) || string_run(&sim, 4) || string_read(&sim, gpu))
        return 2;
    host_smooth(host, 10);
    for (int i = 0; i < STR_POINTS; ++i) {
        float d = host[i] - gpu[i];
        if (d > 1e-2f || d < -1e-2f)
            right = 0;
    }
    printf("peak host %.3f gpu %.3f\n", host[STR_POINTS / 2], gpu[STR_POINTS / 2]);
    string_close(&sim);
    puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
