/* Sensor fusion on the driver API: every sensor uploads on its own stream and signals a fence. */
#include <cuda.h>
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TRY(x)                                                       \
    do {                                                             \
        CUresult try_ = (x);                                         \
        if (try_ != CUDA_SUCCESS)                                    \
            return try_;                                             \
    } while (0)

#define N_POINTS 1024
#define N_SENSORS 2

struct fence;

struct fence_ops {
    CUresult (*signal)(struct fence *f, CUstream stream);
    CUresult (*wait)(struct fence *f, CUstream stream);
};

struct fence {
    const struct fence_ops *ops;
    CUevent ev;
};

static CUresult event_signal(struct fence *f, CUstream stream)
{
    return cuEventRecord(f->ev, stream);
}

static CUresult event_wait(struct fence *f, CUstream stream)
{
    return cuStreamWaitEvent(stream, f->ev, CU_EVENT_WAIT_DEFAULT);
}

static const struct fence_ops event_fence_ops = {event_signal, event_wait};

static CUresult fence_init(struct fence *f)
{
    f->ops = &event_fence_ops;
    return cuEventCreate(&f->ev, CU_EVENT_DISABLE_TIMING);
}

struct sensor;

struct sensor_ops {
    const char *name;
    void (*emit)(struct sensor *s, CUstream stream);
};

struct sensor {
    const struct sensor_ops *ops;
    CUstream up, proc;
    struct fence uploaded, processed;
    CUdeviceptr raw, feat;
    float *host;
};

struct fusion {
    struct sensor sensors[N_SENSORS];
    CUstream stream;
    struct fence start;
    CUdeviceptr state;
    CUgraphExec exec;
};

__global__ void lidar_range(const float *raw, float *feat)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    feat[i] = fminf(raw[i], 50.0f);
}

__global__ void radar_gain(const float *raw, float *feat)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    feat[i] = raw[i] * 2.0f;
}

__global__ void fuse(const float *a, const float *b, float *state)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    state[i] = a[i] + b[i];
}

static void lidar_emit(struct sensor *s, CUstream stream)
{
    lidar_range<<<N_POINTS / 128, 128, 0, stream>>>((const float *)s->raw, (float *)s->feat);
}

static void radar_emit(struct sensor *s, CUstream stream)
{
    radar_gain<<<N_POINTS / 128, 128, 0, stream>>>((const float *)s->raw, (float *)s->feat);
}

static const struct sensor_ops lidar_ops = {"lidar", lidar_emit};
static const struct sensor_ops radar_ops = {"radar", radar_emit};

static CUresult sensor_upload(struct sensor *s, const float *points)
{
    memcpy(s->host, points, sizeof(float) * N_POINTS);
    TRY(cuMemcpyHtoDAsync(s->raw, s->host, sizeof(float) * N_POINTS, s->up));
    return s->uploaded.ops->signal(&s->uploaded, s->up);
}

static CUresult fusion_emit(struct fusion *fu)
{
    TRY(fu->start.ops->signal(&fu->start, fu->stream));
    for (int i = 0; i < N_SENSORS; i++) {
        struct sensor *s = &fu->sensors[i];
        TRY(fu->start.ops->wait(&fu->start, s->proc));
        s->ops->emit(s, s->proc);
        TRY(s->processed.ops->signal(&s->processed, s->proc));
        TRY(s->processed.ops->wait(&s->processed, fu->stream));
    }
    fuse<<<N_POINTS / 128, 128, 0, fu->stream>>>((const float *)fu->sensors[0].feat, (const float *)fu->sensors[1].feat,
                                                 (float *)fu->state);
    return cudaGetLastError() == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
}

static CUresult fusion_build(struct fusion *fu)
{
    CUgraph graph = NULL;
    CUresult res, end;

    TRY(cuStreamBeginCapture(fu->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    res = fusion_emit(fu);
    end = cuStreamEndCapture(fu->stream, &graph);
    if (res == CUDA_SUCCESS)
        res = end;
    if (res == CUDA_SUCCESS)
        res = cuGraphInstantiate(&fu->exec, graph, 0);
    if (graph)
        cuGraphDestroy(graph);
    return res;
}

static CUresult fusion_tick(struct fusion *fu, const float *lidar, const float *radar, float *state)
{
    TRY(sensor_upload(&fu->sensors[0], lidar));
    TRY(sensor_upload(&fu->sensors[1], radar));
    if (!fu->exec)
        TRY(fusion_build(fu));
    for (int i = 0; i < N_SENSORS; i++) {
        struct fence *f = &fu->sensors[i].uploaded;
        TRY(f->ops->wait(f, fu->stream));
    }
    TRY(cuGraphLaunch(fu->exec, fu->stream));
    TRY(cuMemcpyDtoHAsync(state, fu->state, sizeof(float) * N_POINTS, fu->stream));
    return cuStreamSynchronize(fu->stream);
}

static CUresult fusion_init(struct fusion *fu)
{
    static const struct sensor_ops *const kinds[N_SENSORS] = {&lidar_ops, &radar_ops};

    memset(fu, 0, sizeof(*fu));
    TRY(cuStreamCreate(&fu->stream, CU_STREAM_NON_BLOCKING));
    TRY(fence_init(&fu->start));
    TRY(cuMemAlloc(&fu->state, sizeof(float) * N_POINTS));
    for (int i = 0; i < N_SENSORS; i++) {
        struct sensor *s = &fu->sensors[i];
        s->ops = kinds[i];
        TRY(cuStreamCreate(&s->up, CU_STREAM_NON_BLOCKING));
        TRY(cuStreamCreate(&s->proc, CU_STREAM_NON_BLOCKING));
        TRY(fence_init(&s->uploaded));
        TRY(fence_init(&s->processed));
        TRY(cuMemAlloc(&s->raw, sizeof(float) * N_POINTS));
        TRY(cuMemAlloc(&s->feat, sizeof(float) * N_POINTS));
        TRY(cuMemAllocHost((void **)&s->host, sizeof(float) * N_POINTS));
    }
    return CUDA_SUCCESS;
}

int main(void)
{
    static float lidar[N_POINTS], radar[N_POINTS], state[N_POINTS];
    static struct fusion fu;
    int right = 0;
    CUresult res = cuInit(0);

    if (res == CUDA_SUCCESS && cudaSetDevice(0) != cudaSuccess)
        res = CUDA_ERROR_NO_DEVICE;
    if (res == CUDA_SUCCESS)
        res = fusion_init(&fu);
    for (int tick = 1; tick <= 3 && res == CUDA_SUCCESS; tick++) {
        for (int i = 0; i < N_POINTS; i++) {
            lidar[i] = 20.0f * tick;
            radar[i] = (float)i;
        }
        res = fusion_tick(&fu, lidar, radar, state);
        right += res == CUDA_SUCCESS && state[100] == fminf(20.0f * tick, 50.0f) + 200.0f;
    }
    puts(res == CUDA_SUCCESS && right == 3 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
