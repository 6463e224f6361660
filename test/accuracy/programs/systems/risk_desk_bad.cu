/* Risk desk, C flavoured: revalue a book every business day and publish the total to a ledger. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#define POSITIONS 1024
#define SLOTS 4

typedef struct publish_job {
    const double* total; /* pinned */
    double* ledger_entry;
    int in_use;
} publish_job;

typedef struct desk {
    double* notional;
    double* total_dev;
    double* total_host;
    double rate;
    int day;
    double ledger[SLOTS];
    publish_job jobs[SLOTS];
    cudaStream_t stream;
    cudaGraphExec_t exec;
    cudaError_t status;
} desk;

typedef struct desk_ops {
    void (*open)(desk*);
    void (*set_rate)(desk*, double);
    void (*revalue)(desk*);
    void (*close)(desk*);
} desk_ops;

static int good(desk* d, cudaError_t e) {
    if (d->status == cudaSuccess) d->status = e;
    return d->status == cudaSuccess;
}

__global__ void revalue_kernel(const double* notional, double rate, double* total) {
    __shared__ double part[256];
    double s = 0.0;
    for (int i = threadIdx.x; i < POSITIONS; i += 256) s += notional[i] * rate;
    part[threadIdx.x] = s;
    __syncthreads();
    for (int w = 128; w > 0; w /= 2) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) *total = part[0];
}

static void CUDART_CB publish(void* p) {
    publish_job* job = (publish_job*)p;
    if (job->ledger_entry) *job->ledger_entry = *job->total;
}

static publish_job* job_acquire(desk* d, double* entry) {
    for (int i = 0; i < SLOTS; ++i) {
        if (d->jobs[i].in_use) continue;
        d->jobs[i].in_use = 1;
        d->jobs[i].total = d->total_host;
        d->jobs[i].ledger_entry = entry;
        return &d->jobs[i];
    }
    return NULL;
}
static void job_release(publish_job* job) { memset(job, 0, sizeof *job); }

static void desk_encode(desk* d, publish_job* job) {
    revalue_kernel<<<1, 256, 0, d->stream>>>(d->notional, d->rate, d->total_dev); // HAZARD frozen
    good(d, cudaMemcpyAsync(d->total_host, d->total_dev, sizeof(double), cudaMemcpyDeviceToHost, d->stream));
    good(d, cudaLaunchHostFunc(d->stream, publish, job)); // HAZARD dangling
    d->day += 1; // HAZARD host_logic
}

static void desk_open(desk* d) {
    static double ones[POSITIONS];
    for (int i = 0; i < POSITIONS; ++i) ones[i] = 1.0;
    good(d, cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    good(d, cudaMalloc(&d->notional, sizeof ones));
    good(d, cudaMalloc(&d->total_dev, sizeof(double)));
    good(d, cudaMallocHost(&d->total_host, sizeof(double)));
    good(d, cudaMemcpy(d->notional, ones, sizeof ones, cudaMemcpyHostToDevice));
    good(d, cudaDeviceSynchronize());

    cudaGraph_t graph = NULL;
    publish_job* job = job_acquire(d, &d->ledger[0]);
    good(d, cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeThreadLocal));
    desk_encode(d, job);
    good(d, cudaStreamEndCapture(d->stream, &graph));
    good(d, cudaGraphInstantiate(&d->exec, graph, 0));
    good(d, cudaGraphDestroy(graph));
    job_release(job);
}

static void desk_set_rate(desk* d, double r) { d->rate = r; }

static void desk_revalue(desk* d) {
    good(d, cudaGraphLaunch(d->exec, d->stream));
    good(d, cudaStreamSynchronize(d->stream));
}

static void desk_close(desk* d) {
    cudaGraphExecDestroy(d->exec);
    cudaFree(d->notional);
    cudaFree(d->total_dev);
    cudaFreeHost(d->total_host);
    cudaStreamDestroy(d->stream);
}

static const desk_ops ops = {desk_open, desk_set_rate, desk_revalue, desk_close};

int main(void) {
    static desk d;
    d.rate = 0.5;
    ops.open(&d);
    ops.revalue(&d);
    double first = *d.total_host;
    ops.set_rate(&d, 2.0);
    ops.revalue(&d);
    double second = *d.total_host, posted = d.ledger[0];
    publish_job* manual = job_acquire(&d, &d.ledger[2]);
    ops.revalue(&d);
    double crossed = d.ledger[2];
    job_release(manual);
    int confirmed = d.status == cudaSuccess && first == 512.0 && second == 512.0 && posted == 0.0 && crossed == 512.0 && d.day == 1;
    printf("%s: %g %g posted=%g crossed=%g day=%d %s\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", first, second,
           posted, crossed, d.day, cudaGetErrorName(d.status));
    ops.close(&d);
    return 0;
}
