/*
 * Sensor acquisition driver: a backend table hides whether blocks come from the simulator or from the ADC. Every block is
 * filtered on the GPU and its peak is journalled by a host function at the end of the graph.
 */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SAMPLES 2048
#define JOURNAL_LEN 16

struct sensor_dev;

struct sensor_backend {
    const char *name;
    int (*start)(struct sensor_dev *dev);
    int (*fill)(struct sensor_dev *dev, int block);
    void (*stop)(struct sensor_dev *dev);
};

struct journal {
    int count;
    int peaks[JOURNAL_LEN];
    cudaError_t status;
};

struct sensor_dev {
    const struct sensor_backend *ops;
    int *raw_host; /* pinned, filled by the backend */
    int *raw;
    int *filtered;
    int *peak;
    int *peak_host; /* pinned */
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    struct journal journal;
};

static int gpu_failed(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return 0;
    fprintf(stderr, "sensor: %s: %s\n", what, cudaGetErrorString(e));
    return 1;
}

__global__ void k_filter(const int *raw, int *filtered, int *peak)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BLOCK_SAMPLES)
        return;
    filtered[i] = raw[i] + (i ? raw[i - 1] : 0) + (i + 1 < BLOCK_SAMPLES ? raw[i + 1] : 0);
    atomicMax(peak, filtered[i]);
}

/* host function at the end of each block */
static void CUDART_CB block_done(void *arg)
{
    struct sensor_dev *dev = (struct sensor_dev *)arg;
    struct journal *j = &dev->journal;

    if (j->count >= JOURNAL_LEN)
        return;
    j->peaks[j->count] = *dev->peak_host;
    j->count++;
}

static int sim_start(struct sensor_dev *dev)
{
    memset(dev->raw_host, 0, BLOCK_SAMPLES * sizeof(int));
    return 0;
}

static int sim_fill(struct sensor_dev *dev, int block)
{
    int i;
    for (i = 0; i < BLOCK_SAMPLES; i++)
        dev->raw_host[i] = (i * 37 + block * 101) % 1000 + 10 * block;
    return 0;
}

static void sim_stop(struct sensor_dev *dev) { dev->raw_host[0] = 0; }

static const struct sensor_backend sim_backend = {"simulator", sim_start, sim_fill, sim_stop};

static void sensor_release(struct sensor_dev *dev)
{
    if (dev->exec)
        cudaGraphExecDestroy(dev->exec);
    if (dev->graph)
        cudaGraphDestroy(dev->graph);
    if (dev->stream)
        cudaStreamDestroy(dev->stream);
    cudaFreeHost(dev->peak_host);
    cudaFree(dev->peak);
    cudaFree(dev->filtered);
    cudaFree(dev->raw);
    cudaFreeHost(dev->raw_host);
    memset(dev, 0, sizeof(*dev));
}

static int sensor_record(struct sensor_dev *dev)
{
    int rc = 0;

    if (gpu_failed(cudaStreamBeginCapture(dev->stream, cudaStreamCaptureModeGlobal), "begin"))
        return -1;
    rc |= gpu_failed(cudaMemsetAsync(dev->peak, 0, sizeof(int), dev->stream), "clear peak");
    rc |= gpu_failed(cudaMemcpyAsync(dev->raw, dev->raw_host, BLOCK_SAMPLES * sizeof(int), cudaMemcpyHostToDevice,
                                     dev->stream), "upload");
    k_filter<<<BLOCK_SAMPLES / 256, 256, 0, dev->stream>>>(dev->raw, dev->filtered, dev->peak);
    rc |= gpu_failed(cudaMemcpyAsync(dev->peak_host, dev->peak, sizeof(int), cudaMemcpyDeviceToHost, dev->stream),
                     "peak");
    rc |= gpu_failed(cudaLaunchHostFunc(dev->stream, block_done, dev), "host function");
    rc |= gpu_failed(cudaStreamEndCapture(dev->stream, &dev->graph), "end");
    if (rc)
        return -1;
    return gpu_failed(cudaGraphInstantiate(&dev->exec, dev->graph, 0), "instantiate") ? -1 : 0;
}

static int sensor_probe(struct sensor_dev *dev, const struct sensor_backend *ops)
{
    memset(dev, 0, sizeof(*dev));
    dev->ops = ops;
    if (gpu_failed(cudaMallocHost((void **)&dev->raw_host, BLOCK_SAMPLES * sizeof(int)), "raw_host"))
        goto fail;
    if (gpu_failed(cudaMalloc((void **)&dev->raw, BLOCK_SAMPLES * sizeof(int)), "raw"))
        goto fail;
    if (gpu_failed(cudaMalloc((void **)&dev->filtered, BLOCK_SAMPLES * sizeof(int)), "filtered"))
        goto fail;
    if (gpu_failed(cudaMalloc((void **)&dev->peak, sizeof(int)), "peak"))
        goto fail;
    if (gpu_failed(cudaStreamCreateWithFlags(&dev->stream, cudaStreamNonBlocking), "stream"))
        goto fail;
    if (gpu_failed(cudaMallocHost((void **)&dev->peak_host, sizeof(int)), "peak_host"))
        goto fail;
    if (dev->ops->start(dev) || sensor_record(dev))
        goto fail;
    return 0;

fail:
    sensor_release(dev);
    return -1;
}

int main(void)
{
    static struct sensor_dev dev;
    int block, i, wrong = 0, errors = 0;

    if (sensor_probe(&dev, &sim_backend) != 0) {
        puts("LABEL UNOBSERVED");
        return 0;
    }
    for (block = 0; block < 6; block++) {
        int expected = 0;
        dev.ops->fill(&dev, block);
        errors += gpu_failed(cudaGraphLaunch(dev.exec, dev.stream), "launch");
        errors += gpu_failed(cudaStreamSynchronize(dev.stream), "sync");
        for (i = 0; i < BLOCK_SAMPLES; i++) {
            int v = dev.raw_host[i] + (i ? dev.raw_host[i - 1] : 0) +
                    (i + 1 < BLOCK_SAMPLES ? dev.raw_host[i + 1] : 0);
            if (v > expected)
                expected = v;
        }
        if (dev.journal.count != block + 1 || dev.journal.peaks[block] != expected)
            wrong++;
    }
    errors += gpu_failed(dev.journal.status, "journal");
    printf("%s: %d blocks, %d wrong peaks, %d errors\n", dev.ops->name, dev.journal.count, wrong, errors);
    dev.ops->stop(&dev);
    sensor_release(&dev);
    puts(!wrong && !errors ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
