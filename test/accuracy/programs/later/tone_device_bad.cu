// Audio effect in the style of C: a device with a table of functions. Its parameters are uploaded and applied to a
// block of samples by a graph.
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 128

struct tone_params {
    float gain;
    float offset;
    float pad[62]; /* coefficients of the equalizer */
};

struct tone_device;

struct tone_ops {
    cudaError_t (*load)(struct tone_device *dev, float gain, float offset);
    cudaError_t (*process)(struct tone_device *dev);
};

struct tone_device {
    const struct tone_ops *ops;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    float *samples;
    struct tone_params *d_params;
};

__global__ void apply_tone(const struct tone_params *p, float *samples)
{
    float sum = 0.0f;
    for (int i = 0; i < 62; i++) sum += p->pad[i];
    samples[threadIdx.x] = p->gain + p->offset + sum;
}

static cudaError_t upload_and_apply(struct tone_device *dev, float gain, float offset)
{
    struct tone_params params;
    cudaError_t rc;
    memset(&params, 0, sizeof params);
    params.gain = gain;
    params.offset = offset;
    rc = cudaMemcpyAsync(dev->d_params, &params, sizeof params, cudaMemcpyHostToDevice, dev->stream); // HAZARD dangling
    if (rc != cudaSuccess) return rc;
    apply_tone<<<1, BLOCK, 0, dev->stream>>>(dev->d_params, dev->samples);
    return cudaGetLastError();
}

static cudaError_t tone_load(struct tone_device *dev, float gain, float offset)
{
    cudaGraph_t graph = NULL;
    cudaError_t rc, queued;
    if ((rc = cudaStreamBeginCapture(dev->stream, cudaStreamCaptureModeRelaxed)) != cudaSuccess) return rc;
    queued = upload_and_apply(dev, gain, offset);
    rc = cudaStreamEndCapture(dev->stream, &graph);
    if (queued != cudaSuccess) rc = queued;
    if (rc == cudaSuccess) rc = cudaGraphInstantiate(&dev->exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return rc;
}

static cudaError_t tone_process(struct tone_device *dev)
{
    cudaError_t rc = cudaGraphLaunch(dev->exec, dev->stream);
    return rc != cudaSuccess ? rc : cudaStreamSynchronize(dev->stream);
}

static const struct tone_ops tone = {tone_load, tone_process};

/* Mixes a meter from many values; uses as much of the stack as the effects do. */
static float __attribute__((noinline)) meter(int seed)
{
    volatile float history[4096];
    float peak = 0.0f;
    for (int i = 0; i < 4096; i++) history[i] = 1000.0f + (float)((i * 7 + seed) % 90);
    for (int i = 0; i < 4096; i++) peak = history[i] > peak ? history[i] : peak;
    return peak;
}

int main(void)
{
    struct tone_device dev;
    cudaError_t rc;
    float peak = 0.0f;
    int right = 0, wrong = 0;
    memset(&dev, 0, sizeof dev);
    dev.ops = &tone;
    rc = cudaStreamCreate(&dev.stream);
    if (rc == cudaSuccess) rc = cudaMalloc(&dev.samples, BLOCK * sizeof(float));
    if (rc == cudaSuccess) rc = cudaMalloc(&dev.d_params, sizeof *dev.d_params);
    if (rc == cudaSuccess) rc = dev.ops->load(&dev, 2.0f, 0.25f);
    for (int block = 0; rc == cudaSuccess && block < 4; block++) {
        float sample = 0.0f, expected = 2.25f;
        peak += meter(block);
        rc = dev.ops->process(&dev);
        if (rc == cudaSuccess) rc = cudaMemcpy(&sample, dev.samples + 5, sizeof sample, cudaMemcpyDeviceToHost);
        if (sample == expected) right++;
        else wrong++;
    }
    printf("peak %g, blocks right %d, wrong %d, %s\n", peak, right, wrong, cudaGetErrorName(rc));
    if (rc == cudaSuccess && wrong > 0) return puts("LABEL CONFIRMED"), 0;
    puts("LABEL NOT CONFIRMED: other blocks than expected");
    return 1;
}
