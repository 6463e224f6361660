/* Wheel odometry for a skid-steer base. Front and rear axles are integrated on two streams, the
 * IMU heading comes from its own graph, and a fuse graph blends both into the pose. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

#define WHEELS_PER_AXLE 2
#define REPLAYS 4

typedef struct odo_cfg {
    int slip_check; /* run the slip estimator on the rear axle */
    float radius;
    float track;
    float imu_weight;
} odo_cfg;

static const odo_cfg kCfg = {0, 0.12f, 0.55f, 0.25f};

typedef struct odo_ctx {
    odo_cfg cfg;
    cudaStream_t s_main, s_rear;
    cudaEvent_t ev_fork, ev_join, ev_imu;
    float *d_ticks;   /* 4 wheel speeds, front pair then rear pair */
    float *d_axle;    /* {front_v, front_w, rear_v, rear_w} */
    float *d_slip;
    float *d_gyro, *d_heading; /* integrated gyro */
    float *d_pose;    /* distance, heading */
    float *h_in, *h_pose; /* pinned: 4 ticks + gyro; pose */
    cudaGraphExec_t imu, predict, fuse;
} odo_ctx;

static odo_ctx g_odo;

#define TRY(x)                                                                            \
    do {                                                                                  \
        cudaError_t e_ = (x);                                                             \
        if (e_ != cudaSuccess) {                                                          \
            printf("odo: %s (line %d): %s\n", #x, __LINE__, cudaGetErrorName(e_));        \
            return e_;                                                                    \
        }                                                                                 \
    } while (0)

__global__ void axle_kernel(const float *ticks, float *axle, float radius, float track)
{
    axle[0] = radius * 0.5f * (ticks[0] + ticks[1]);
    axle[1] = radius * (ticks[1] - ticks[0]) / track;
}

__global__ void slip_kernel(const float *axle, float *slip) { slip[0] = fabsf(axle[0]) > 2.0f ? 1.f : 0.f; }

__global__ void imu_kernel(const float *gyro, float *heading) { heading[0] += gyro[0]; }

__global__ void fuse_kernel(const float *axle, const float *heading, float w, float *pose)
{
    pose[0] += 0.5f * (axle[0] + axle[2]);
    pose[1] = (1.f - w) * (pose[1] + 0.5f * (axle[1] + axle[3])) + w * heading[0];
}

static cudaError_t odo_init(odo_ctx *c, const odo_cfg *cfg)
{
    c->cfg = *cfg;
    TRY(cudaStreamCreateWithFlags(&c->s_main, cudaStreamNonBlocking));
    TRY(cudaStreamCreateWithFlags(&c->s_rear, cudaStreamNonBlocking));
    TRY(cudaEventCreateWithFlags(&c->ev_fork, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&c->ev_join, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&c->ev_imu, cudaEventDisableTiming));
    TRY(cudaMalloc(&c->d_ticks, 16 * sizeof(float)));
    TRY(cudaMemsetAsync(c->d_ticks, 0, 16 * sizeof(float), c->s_main));
    c->d_gyro = c->d_ticks + 4; /* uploaded together with the ticks */
    c->d_axle = c->d_ticks + 5;
    c->d_slip = c->d_ticks + 9;
    c->d_heading = c->d_ticks + 10;
    c->d_pose = c->d_ticks + 11;
    TRY(cudaMallocHost(&c->h_in, 5 * sizeof(float)));
    TRY(cudaMallocHost(&c->h_pose, 2 * sizeof(float)));
    return cudaStreamSynchronize(c->s_main);
}

/* Ends the capture on s_main whatever happened inside, then instantiates. */
static cudaError_t finish_capture(odo_ctx *c, cudaGraphExec_t *exec)
{
    cudaGraph_t g = NULL;
    TRY(cudaStreamEndCapture(c->s_main, &g));
    cudaError_t e = cudaGraphInstantiate(exec, g, 0);
    cudaGraphDestroy(g);
    return e;
}

static cudaError_t build_imu(odo_ctx *c)
{
    TRY(cudaStreamBeginCapture(c->s_main, cudaStreamCaptureModeGlobal));
    cudaMemcpyAsync(c->d_ticks, c->h_in, 5 * sizeof(float), cudaMemcpyHostToDevice, c->s_main);
    imu_kernel<<<1, 1, 0, c->s_main>>>(c->d_gyro, c->d_heading);
    return finish_capture(c, &c->imu);
}

static cudaError_t build_predict(odo_ctx *c)
{
    const odo_cfg *k = &c->cfg;
    TRY(cudaStreamBeginCapture(c->s_main, cudaStreamCaptureModeGlobal));
    cudaEventRecord(c->ev_fork, c->s_main);
    cudaStreamWaitEvent(c->s_rear, c->ev_fork, 0);
    axle_kernel<<<1, 1, 0, c->s_main>>>(c->d_ticks, c->d_axle, k->radius, k->track);
    axle_kernel<<<1, 1, 0, c->s_rear>>>(c->d_ticks + 2, c->d_axle + 2, k->radius, k->track);
    if (k->slip_check) slip_kernel<<<1, 1, 0, c->s_rear>>>(c->d_axle + 2, c->d_slip);
    cudaEventRecord(c->ev_join, c->s_rear);
    cudaStreamWaitEvent(c->s_main, c->ev_join, 0);
    return finish_capture(c, &c->predict);
}

static cudaError_t build_fuse(odo_ctx *c)
{
    TRY(cudaStreamBeginCapture(c->s_main, cudaStreamCaptureModeGlobal));
    /* no wait for the IMU here: all three graphs are launched in order on s_main */
    fuse_kernel<<<1, 1, 0, c->s_main>>>(c->d_axle, c->d_heading, c->cfg.imu_weight, c->d_pose);
    cudaMemcpyAsync(c->h_pose, c->d_pose, 2 * sizeof(float), cudaMemcpyDeviceToHost, c->s_main);
    return finish_capture(c, &c->fuse);
}

static cudaError_t odo_step(odo_ctx *c, const float in[5])
{
    for (int i = 0; i < 5; ++i) c->h_in[i] = in[i];
    TRY(cudaEventRecord(c->ev_imu, c->s_main)); /* period marker, outside of any capture */
    TRY(cudaGraphLaunch(c->imu, c->s_main));
    TRY(cudaGraphLaunch(c->predict, c->s_main));
    TRY(cudaGraphLaunch(c->fuse, c->s_main));
    return cudaStreamSynchronize(c->s_main);
}

int main(void)
{
    odo_ctx *c = &g_odo;
    if (odo_init(c, &kCfg) != cudaSuccess) {
        printf("LABEL UNOBSERVED\n");
        return 1;
    }
    cudaError_t e_imu = build_imu(c);
    cudaError_t e_pred = build_predict(c);
    cudaError_t e_fuse = build_fuse(c);
    printf("imu %s predict %s fuse %s\n", cudaGetErrorName(e_imu), cudaGetErrorName(e_pred), cudaGetErrorName(e_fuse));

    int good = 0;
    float dist = 0.f, head = 0.f, gyro = 0.f;
    if (e_imu == cudaSuccess && e_pred == cudaSuccess && e_fuse == cudaSuccess) {
        for (int r = 0; r < REPLAYS; ++r) {
            float in[5] = {1.f + r, 1.5f + r, 0.8f + r, 1.6f + r, 0.02f * (r + 1)};
            if (odo_step(c, in) != cudaSuccess) break;
            float R = kCfg.radius, T = kCfg.track, w = kCfg.imu_weight;
            gyro += in[4];
            dist += 0.5f * (R * 0.5f * (in[0] + in[1]) + R * 0.5f * (in[2] + in[3]));
            head = (1.f - w) * (head + 0.5f * (R * (in[1] - in[0]) / T + R * (in[3] - in[2]) / T)) + w * gyro;
            if (fabsf(c->h_pose[0] - dist) < 1e-3f && fabsf(c->h_pose[1] - head) < 1e-3f) ++good;
        }
    }
    printf("good replays: %d\n", good);
    printf(good == REPLAYS ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
