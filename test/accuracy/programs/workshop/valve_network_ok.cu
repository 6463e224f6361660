/* Pressure estimation for a water network. Plain C layout: every stage of the pipeline is a struct with a
 * table of operations, the network owns the buffers, and functions return 0 or a CUDA error code. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_VALVES 2048
#define NSTAGES 4

#define TRY(call)                                                                             \
    do {                                                                                      \
        cudaError_t rc_ = (call);                                                             \
        if (rc_ != cudaSuccess) {                                                             \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_));       \
            return (int)rc_;                                                                  \
        }                                                                                     \
    } while (0)

typedef struct network network_t;

typedef struct stage_ops {
    const char *name;
    int (*setup)(network_t *);
    int (*enqueue)(network_t *, cudaStream_t);
    void (*teardown)(network_t *);
} stage_ops_t;

struct network {
    int live; /* valves that report at present, <= MAX_VALVES */
    int recorded_live; /* value of live that exec was recorded for */
    float *h_demand, *h_pressure, *h_total; /* pinned */
    float *d_demand, *d_pressure, *d_total;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    const stage_ops_t *stages[NSTAGES];
};

__global__ void relax_kernel(const float *demand, float *pressure, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        pressure[i] = 0.5f * (pressure[i] + demand[i]);
}

__global__ void total_kernel(const float *pressure, float *total, int n)
{
    __shared__ float part[256];
    float acc = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        acc += pressure[i];
    part[threadIdx.x] = acc;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (threadIdx.x < w)
            part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total = part[0];
}

/* --- upload --- */
static int upload_setup(network_t *net)
{
    TRY(cudaMallocHost((void **)&net->h_demand, MAX_VALVES * sizeof(float)));
    TRY(cudaMalloc((void **)&net->d_demand, MAX_VALVES * sizeof(float)));
    return 0;
}
static int upload_enqueue(network_t *net, cudaStream_t s)
{
    size_t bytes = (size_t)net->live * sizeof(float);
    TRY(cudaMemcpyAsync(net->d_demand, net->h_demand, bytes, cudaMemcpyHostToDevice, s));
    return 0;
}
static void upload_teardown(network_t *net)
{
    cudaFreeHost(net->h_demand);
    cudaFree(net->d_demand);
}

/* --- relax --- */
static int relax_setup(network_t *net)
{
    TRY(cudaMalloc((void **)&net->d_pressure, MAX_VALVES * sizeof(float)));
    TRY(cudaMemset(net->d_pressure, 0, MAX_VALVES * sizeof(float)));
    return 0;
}
static int relax_enqueue(network_t *net, cudaStream_t s)
{
    int blocks = (net->live + 255) / 256;
    relax_kernel<<<blocks, 256, 0, s>>>(net->d_demand, net->d_pressure, net->live);
    TRY(cudaGetLastError());
    return 0;
}
static void relax_teardown(network_t *net) { cudaFree(net->d_pressure); }

/* --- total --- */
static int total_setup(network_t *net)
{
    TRY(cudaMalloc((void **)&net->d_total, sizeof(float)));
    return 0;
}
static int total_enqueue(network_t *net, cudaStream_t s)
{
    total_kernel<<<1, 256, 0, s>>>(net->d_pressure, net->d_total, net->live);
    TRY(cudaGetLastError());
    return 0;
}
static void total_teardown(network_t *net) { cudaFree(net->d_total); }

/* --- fetch --- */
static int fetch_setup(network_t *net)
{
    TRY(cudaMallocHost((void **)&net->h_pressure, MAX_VALVES * sizeof(float)));
    TRY(cudaMallocHost((void **)&net->h_total, sizeof(float)));
    memset(net->h_pressure, 0, MAX_VALVES * sizeof(float));
    return 0;
}
static int fetch_enqueue(network_t *net, cudaStream_t s)
{
    size_t bytes = (size_t)net->live * sizeof(float);
    TRY(cudaMemcpyAsync(net->h_pressure, net->d_pressure, bytes, cudaMemcpyDeviceToHost, s));
    TRY(cudaMemcpyAsync(net->h_total, net->d_total, sizeof(float), cudaMemcpyDeviceToHost, s));
    return 0;
}
static void fetch_teardown(network_t *net)
{
    cudaFreeHost(net->h_pressure);
    cudaFreeHost(net->h_total);
}

static const stage_ops_t UPLOAD = {"upload", upload_setup, upload_enqueue, upload_teardown};
static const stage_ops_t RELAX = {"relax", relax_setup, relax_enqueue, relax_teardown};
static const stage_ops_t TOTAL = {"total", total_setup, total_enqueue, total_teardown};
static const stage_ops_t FETCH = {"fetch", fetch_setup, fetch_enqueue, fetch_teardown};

static int net_open(network_t *net, int live)
{
    memset(net, 0, sizeof *net);
    net->live = live;
    net->stages[0] = &UPLOAD;
    net->stages[1] = &RELAX;
    net->stages[2] = &TOTAL;
    net->stages[3] = &FETCH;
    TRY(cudaStreamCreate(&net->stream));
    for (int i = 0; i < NSTAGES; i++) {
        int rc = net->stages[i]->setup(net);
        if (rc) return rc;
    }
    return 0;
}

static int net_record(network_t *net)
{
    cudaGraph_t graph = NULL;
    int rc = 0;
    TRY(cudaStreamBeginCapture(net->stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < NSTAGES && !rc; i++)
        rc = net->stages[i]->enqueue(net, net->stream);
    cudaError_t end = cudaStreamEndCapture(net->stream, &graph);
    if (rc || end != cudaSuccess) {
        if (graph) cudaGraphDestroy(graph);
        return rc ? rc : (int)end;
    }
    end = cudaGraphInstantiate(&net->exec, graph, 0);
    cudaGraphDestroy(graph);
    net->recorded_live = net->live;
    return (int)end;
}

static int net_run(network_t *net)
{
    if (net->exec && net->recorded_live != net->live) {
        TRY(cudaGraphExecDestroy(net->exec)); /* idle: every run ends with a synchronize */
        net->exec = NULL;
    }
    if (!net->exec) {
        int rc = net_record(net);
        if (rc) return rc;
    }
    TRY(cudaGraphLaunch(net->exec, net->stream));
    TRY(cudaStreamSynchronize(net->stream));
    return 0;
}

static void net_close(network_t *net)
{
    if (net->exec) cudaGraphExecDestroy(net->exec);
    for (int i = 0; i < NSTAGES; i++)
        net->stages[i]->teardown(net);
    cudaStreamDestroy(net->stream);
}

int main(void)
{
    static const int live_per_hour[] = {300, 300, 700, 700, 1500, 400};
    static float ref[MAX_VALVES];
    network_t net;
    int wrong = 0, rc = net_open(&net, live_per_hour[0]);
    for (int hour = 0; hour < 6 && !rc; hour++) {
        net.live = live_per_hour[hour];
        double total = 0.0;
        for (int i = 0; i < net.live; i++) {
            net.h_demand[i] = (float)(1 + i % 7 + 3 * hour);
            ref[i] = 0.5f * (ref[i] + net.h_demand[i]);
            total += ref[i];
        }
        rc = net_run(&net);
        for (int i = 0; i < net.live; i++)
            wrong += fabsf(net.h_pressure[i] - ref[i]) > 1e-3f;
        wrong += fabs(*net.h_total - total) > 1.0;
    }
    net_close(&net);
    printf("rc %d, wrong values %d\n", rc, wrong);
    int confirmed = rc == 0 && wrong == 0;
    puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return !confirmed;
}
