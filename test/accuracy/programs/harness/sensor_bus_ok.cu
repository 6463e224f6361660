/* Sensor bus: every driver records its processing into a graph once, the bus replays it. */
#include <cuda_runtime.h>
#include <stdio.h>

#define SAMPLES 256
#define MAX_DRIVERS 4

struct bus {
    cudaStream_t stream;
    cudaStream_t aux;
    cudaStream_t dma;
    cudaEvent_t forked;
    cudaEvent_t joined;
    cudaEvent_t dma_done;
    int *raw;
    int *filtered;
    int *stats;
};

struct driver {
    const char *name;
    cudaError_t (*record)(struct bus *b);
    int *(*result)(struct bus *b);
    cudaError_t record_rc;
    cudaError_t end_rc;
    cudaGraphExec_t exec;
};

__global__ void filter_samples(const int *raw, int *out) { out[threadIdx.x] = raw[threadIdx.x] * 2; }
__global__ void count_samples(const int *raw, int *stats) {
    if (raw[threadIdx.x] > 0) atomicAdd(stats, 1);
}

static cudaError_t imu_record(struct bus *b) {
    cudaError_t rc = cudaEventRecord(b->forked, b->stream);
    if (rc == cudaSuccess) rc = cudaStreamWaitEvent(b->aux, b->forked, 0);
    if (rc != cudaSuccess) return rc;
    cudaMemsetAsync(b->stats, 0, sizeof(int), b->aux);
    count_samples<<<1, SAMPLES, 0, b->aux>>>(b->raw, b->stats);
    filter_samples<<<1, SAMPLES, 0, b->stream>>>(b->raw, b->filtered);
    rc = cudaEventRecord(b->joined, b->aux);
    return rc == cudaSuccess ? cudaStreamWaitEvent(b->stream, b->joined, 0) : rc;
}

static cudaError_t lidar_record(struct bus *b) {
    filter_samples<<<1, SAMPLES, 0, b->stream>>>(b->raw, b->filtered);
    return cudaGetLastError();
}

static int *imu_result(struct bus *b) { return b->stats; }
static int *lidar_result(struct bus *b) { return b->filtered; }

static struct driver drivers[MAX_DRIVERS] = {
    {"imu", imu_record, imu_result},
    {"lidar", lidar_record, lidar_result},
};

static cudaError_t bus_ingest(struct bus *b, const int *samples) {
    cudaError_t rc = cudaMemcpyAsync(b->raw, samples, SAMPLES * sizeof(int), cudaMemcpyHostToDevice, b->dma);
    return rc == cudaSuccess ? cudaEventRecord(b->dma_done, b->dma) : rc;
}

static cudaError_t bus_compile(struct bus *b, struct driver *d) {
    cudaGraph_t graph = NULL;
    cudaError_t rc = cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    d->record_rc = d->record(b);
    d->end_rc = cudaStreamEndCapture(b->stream, &graph);
    if (d->end_rc != cudaSuccess || d->record_rc != cudaSuccess) {
        if (graph) cudaGraphDestroy(graph);
        cudaGetLastError();
        return d->record_rc != cudaSuccess ? d->record_rc : d->end_rc;
    }
    rc = cudaGraphInstantiate(&d->exec, graph, 0);
    cudaGraphDestroy(graph);
    return rc;
}

static int bus_poll(struct bus *b, struct driver *d) {
    int value = -1;
    if (!d->exec) return value;
    cudaStreamWaitEvent(b->stream, b->dma_done, 0);
    cudaGraphLaunch(d->exec, b->stream);
    cudaMemcpyAsync(&value, d->result(b), sizeof(int), cudaMemcpyDeviceToHost, b->stream);
    return cudaStreamSynchronize(b->stream) == cudaSuccess ? value : -2;
}

int main(void) {
    struct bus b = {};
    static int samples[SAMPLES];
    int values[MAX_DRIVERS] = {0};
    cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b.aux, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b.dma, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&b.forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&b.joined, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&b.dma_done, cudaEventDisableTiming);
    cudaMalloc((void **)&b.raw, SAMPLES * sizeof(int));
    cudaMalloc((void **)&b.filtered, SAMPLES * sizeof(int));
    cudaMalloc((void **)&b.stats, sizeof(int));

    for (int i = 0; i < SAMPLES; ++i) samples[i] = 21;
    bus_ingest(&b, samples);
    for (struct driver *d = drivers; d->name; ++d) {
        cudaError_t rc = bus_compile(&b, d);
        if (rc != cudaSuccess) fprintf(stderr, "%s: %s\n", d->name, cudaGetErrorName(rc));
    }
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < SAMPLES; ++i) samples[i] = 10 + round;
        bus_ingest(&b, samples);
        for (int k = 0; drivers[k].name; ++k) values[k] = bus_poll(&b, &drivers[k]);
    }
    cudaDeviceSynchronize();
    if (drivers[0].exec && drivers[1].exec && values[0] == SAMPLES && values[1] == 24)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED imu %d/%d=%d lidar %d/%d=%d\n", drivers[0].record_rc, drivers[0].end_rc, values[0],
               drivers[1].record_rc, drivers[1].end_rc, values[1]);
    for (struct driver *d = drivers; d->name; ++d)
        if (d->exec) cudaGraphExecDestroy(d->exec);
    cudaFree(b.raw);
    cudaFree(b.filtered);
    cudaFree(b.stats);
    return 0;
}
