/* Control loop of a four axis robot arm. Encoder words arrive on an acquisition stream; the control law (calibration,
 * error, PI step, drive limits) is a graph on the control stream. Status codes, no exceptions. */
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

enum { AXES = 4 };

enum class LoopState { Off, Ready, Running, Fault };

struct AxisCalibration {
    int offset;
    int scale;
};

struct ServoLoop {
    LoopState state;
    cudaError_t fault;

    cudaStream_t acquisition;
    cudaStream_t control;
    cudaEvent_t samples_ready;
    cudaGraphExec_t law;

    int *h_encoder; /* pinned, written by the fieldbus driver */
    int *h_drive;   /* pinned, read by the fieldbus driver */
    int *encoder;
    int *target;
    int *position;
    int *integral;
    int *drive;
    AxisCalibration *calibration;
};

__global__ void to_position(const int *encoder, const AxisCalibration *cal, int *position)
{
    const int a = threadIdx.x;
    position[a] = (encoder[a] - cal[a].offset) * cal[a].scale;
}

__global__ void pi_step(const int *position, const int *target, int *integral, int *drive)
{
    const int a = threadIdx.x;
    const int error = target[a] - position[a];
    integral[a] += error;
    drive[a] = 4 * error + integral[a];
}

__global__ void limit_drive(int *drive)
{
    const int a = threadIdx.x;
    if (drive[a] > 500) drive[a] = 500;
    if (drive[a] < -500) drive[a] = -500;
}

/* Remembers the first error and stops the loop. */
static bool keep(ServoLoop *l, cudaError_t e)
{
    if (e == cudaSuccess) return true;
    if (l->fault == cudaSuccess) l->fault = e;
    l->state = LoopState::Fault;
    return false;
}

/* Starts the transfer of one set of encoder words. */
static void servo_acquire(ServoLoop *l)
{
    keep(l, cudaMemcpyAsync(l->encoder, l->h_encoder, AXES * sizeof(int), cudaMemcpyHostToDevice, l->acquisition));
    keep(l, cudaEventRecord(l->samples_ready, l->acquisition));
}

static void servo_record(ServoLoop *l)
{
    cudaGraph_t graph = nullptr;
    if (!keep(l, cudaStreamBeginCapture(l->control, cudaStreamCaptureModeThreadLocal))) return;
    keep(l, cudaStreamWaitEvent(l->control, l->samples_ready, cudaEventWaitExternal)); /* a wait node of the graph */
    to_position<<<1, AXES, 0, l->control>>>(l->encoder, l->calibration, l->position);
    pi_step<<<1, AXES, 0, l->control>>>(l->position, l->target, l->integral, l->drive);
    limit_drive<<<1, AXES, 0, l->control>>>(l->drive);
    keep(l, cudaGetLastError());
    keep(l, cudaMemcpyAsync(l->h_drive, l->drive, AXES * sizeof(int), cudaMemcpyDeviceToHost, l->control));
    keep(l, cudaStreamEndCapture(l->control, &graph));
    if (l->fault == cudaSuccess) keep(l, cudaGraphInstantiate(&l->law, graph, 0));
    if (graph) keep(l, cudaGraphDestroy(graph));
}

static void servo_init(ServoLoop *l, const AxisCalibration *cal, const int *target)
{
    memset(l, 0, sizeof *l);
    l->state = LoopState::Off;
    keep(l, cudaStreamCreateWithFlags(&l->acquisition, cudaStreamNonBlocking));
    keep(l, cudaStreamCreateWithFlags(&l->control, cudaStreamNonBlocking));
    keep(l, cudaEventCreateWithFlags(&l->samples_ready, cudaEventDisableTiming));
    keep(l, cudaMallocHost(&l->h_encoder, AXES * sizeof(int)));
    keep(l, cudaMallocHost(&l->h_drive, AXES * sizeof(int)));
    keep(l, cudaMalloc(&l->encoder, AXES * sizeof(int)));
    keep(l, cudaMalloc(&l->target, AXES * sizeof(int)));
    keep(l, cudaMalloc(&l->position, AXES * sizeof(int)));
    keep(l, cudaMalloc(&l->integral, AXES * sizeof(int)));
    keep(l, cudaMalloc(&l->drive, AXES * sizeof(int)));
    keep(l, cudaMalloc(&l->calibration, AXES * sizeof(AxisCalibration)));
    if (l->fault != cudaSuccess) return;
    keep(l, cudaMemcpy(l->calibration, cal, AXES * sizeof *cal, cudaMemcpyHostToDevice));
    keep(l, cudaMemcpy(l->target, target, AXES * sizeof(int), cudaMemcpyHostToDevice));
    keep(l, cudaMemset(l->integral, 0, AXES * sizeof(int)));
    keep(l, cudaDeviceSynchronize());
    if (l->fault == cudaSuccess) l->state = LoopState::Ready;
}

static void servo_release(ServoLoop *l)
{
    if (l->law) cudaGraphExecDestroy(l->law);
    cudaFree(l->calibration);
    cudaFree(l->drive);
    cudaFree(l->integral);
    cudaFree(l->position);
    cudaFree(l->target);
    cudaFree(l->encoder);
    cudaFreeHost(l->h_drive);
    cudaFreeHost(l->h_encoder);
    cudaEventDestroy(l->samples_ready);
    cudaStreamDestroy(l->control);
    cudaStreamDestroy(l->acquisition);
}

/* One cycle. The graph is recorded in the first one, when the acquisition has delivered its first samples. */
static bool servo_cycle(ServoLoop *l, const int *encoder)
{
    switch (l->state) {
    case LoopState::Ready:
    case LoopState::Running:
        break;
    default:
        return false;
    }
    memcpy(l->h_encoder, encoder, AXES * sizeof(int));
    servo_acquire(l);
    if (l->state == LoopState::Ready) {
        servo_record(l);
        if (l->fault == cudaSuccess) l->state = LoopState::Running;
    }
    if (l->state != LoopState::Running) return false;
    if (!keep(l, cudaGraphLaunch(l->law, l->control))) return false;
    return keep(l, cudaStreamSynchronize(l->control)); /* the drive words are complete, buffers may be reused */
}

int main()
{
    const AxisCalibration cal[AXES] = {{10, 1}, {-5, 2}, {0, 3}, {100, 1}};
    const int target[AXES] = {50, -20, 300, 0};
    int integral[AXES] = {0, 0, 0, 0};
    bool good = true;
    ServoLoop loop;

    servo_init(&loop, cal, target);
    for (int cycle = 0; cycle < 6 && good; ++cycle) {
        int encoder[AXES];
        for (int a = 0; a < AXES; ++a) encoder[a] = cycle * (7 + a) - 3 * a;
        good = servo_cycle(&loop, encoder);
        for (int a = 0; a < AXES && good; ++a) {
            const int error = target[a] - (encoder[a] - cal[a].offset) * cal[a].scale;
            integral[a] += error;
            int want = 4 * error + integral[a];
            if (want > 500) want = 500;
            if (want < -500) want = -500;
            good = loop.h_drive[a] == want;
        }
    }
    std::printf("state %s: %s\n", loop.state == LoopState::Running ? "running" : "stopped",
                cudaGetErrorString(loop.fault));
    const bool confirmed = good && loop.fault == cudaSuccess;
    servo_release(&loop);
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
