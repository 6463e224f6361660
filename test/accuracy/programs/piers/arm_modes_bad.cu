/**
 * @file  arm_modes.cu
 * @brief Mode manager of the manipulator. Every mode has a plan (a recorded
 *        sequence of device steps) which is executed once per control tick.
 *
 * No dynamic memory of our own after arm_init().
 */
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>

/* ------------------------------------------------------------------------ */
/* configuration                                                            */
/* ------------------------------------------------------------------------ */

static constexpr int   ARM_JOINTS     = 8;
static constexpr int   ARM_MAX_STEPS  = 5;
static constexpr float ARM_TICK_S     = 0.5f;
static constexpr float ARM_GATE_MAX_M = 4.0f;

typedef enum
{
    ARM_OK = 0,
    ARM_ERR_GPU,
    ARM_ERR_RANGE,
    ARM_ERR_STATE
} arm_err_t;

typedef enum
{
    MODE_TRACK = 0,
    MODE_HOME,
    MODE_DOCK,
    MODE_COUNT
} arm_mode_t;

struct mode_cfg_t;
typedef arm_err_t (*step_fn_t)(cudaStream_t stream, const mode_cfg_t *cfg);

struct mode_cfg_t
{
    const char *name;
    float       rate;
    float       gate_m;
    step_fn_t   steps[ARM_MAX_STEPS];
};

/* ------------------------------------------------------------------------ */
/* device state                                                             */
/* ------------------------------------------------------------------------ */

__device__ float    g_pose[ARM_JOINTS];
__device__ float    g_vel[ARM_JOINTS];
__device__ uint32_t g_beat;

__global__ void kern_velocity(float rate)
{
    int j = threadIdx.x;
    g_vel[j] = rate * (float)(j + 1);
}

__global__ void kern_integrate(float dt)
{
    int j = threadIdx.x;
    g_pose[j] += g_vel[j] * dt;
}

__global__ void kern_beat(void)
{
    g_beat++;
}

__global__ void kern_gate(float gate)
{
    int j = threadIdx.x;
    g_pose[j] = fminf(g_pose[j], gate);
}

/* ------------------------------------------------------------------------ */
/* module state                                                             */
/* ------------------------------------------------------------------------ */

typedef struct
{
    cudaStream_t    stream;
    cudaGraphExec_t plan[MODE_COUNT];
    arm_mode_t      mode;
    uint32_t        polls;
    uint32_t        late;
    cudaError_t     last;
} arm_ctx_t;

static arm_ctx_t s_arm;

static arm_err_t gpu(cudaError_t e)
{
    if (e == cudaSuccess)
    {
        return ARM_OK;
    }
    s_arm.last = e;
    return ARM_ERR_GPU;
}

/* ------------------------------------------------------------------------ */
/* diagnosis                                                                */
/* ------------------------------------------------------------------------ */

/* Counts how often the device was behind when it was looked at. */
static void diag_poll(void)
{
    cudaError_t e = cudaStreamQuery(s_arm.stream);  // HAZARD refused
    s_arm.polls++;
    if (e != cudaSuccess)
    {
        s_arm.late++;
    }
}

/* ------------------------------------------------------------------------ */
/* steps                                                                    */
/* ------------------------------------------------------------------------ */

static arm_err_t step_velocity(cudaStream_t stream, const mode_cfg_t *cfg)
{
    kern_velocity<<<1, ARM_JOINTS, 0, stream>>>(cfg->rate);
    return ARM_OK;
}

static arm_err_t step_integrate(cudaStream_t stream, const mode_cfg_t *)
{
    kern_integrate<<<1, ARM_JOINTS, 0, stream>>>(ARM_TICK_S);
    return ARM_OK;
}

static arm_err_t step_heartbeat(cudaStream_t stream, const mode_cfg_t *)
{
    kern_beat<<<1, 1, 0, stream>>>();
    diag_poll();
    return ARM_OK;
}

static arm_err_t step_gate(cudaStream_t stream, const mode_cfg_t *cfg)
{
    if (cfg->gate_m > ARM_GATE_MAX_M)
    {
        return ARM_ERR_RANGE;
    }
    kern_gate<<<1, ARM_JOINTS, 0, stream>>>(cfg->gate_m);
    return ARM_OK;
}

static constexpr mode_cfg_t k_modes[MODE_COUNT] = {
    { "track", 1.0f, 0.0f, { step_velocity, step_integrate } },
    { "home", -0.5f, 0.0f, { step_velocity, step_heartbeat, step_integrate } },
    { "dock", 0.25f, 4.5f, { step_velocity, step_integrate, step_gate } },
};

/* ------------------------------------------------------------------------ */
/* plans                                                                    */
/* ------------------------------------------------------------------------ */

static arm_err_t plan_emit(const mode_cfg_t *cfg)
{
    for (int i = 0; i < ARM_MAX_STEPS && cfg->steps[i] != nullptr; i++)
    {
        arm_err_t rc = cfg->steps[i](s_arm.stream, cfg);
        if (rc != ARM_OK)
        {
            return rc;
        }
    }
    return ARM_OK;
}

static arm_err_t plan_record(arm_mode_t mode)
{
    cudaGraph_t graph = nullptr;
    arm_err_t   rc;

    rc = gpu(cudaStreamBeginCapture(s_arm.stream, cudaStreamCaptureModeGlobal));
    if (rc != ARM_OK)
    {
        return rc;
    }
    rc = plan_emit(&k_modes[mode]);
    if (rc != ARM_OK)
    {
        return rc;  // HAZARD scope
    }
    rc = gpu(cudaStreamEndCapture(s_arm.stream, &graph));
    if (rc != ARM_OK)
    {
        return rc;
    }
    rc = gpu(cudaGraphInstantiate(&s_arm.plan[mode], graph, 0));
    (void)cudaGraphDestroy(graph);
    return rc;
}

static arm_err_t mode_enter(arm_mode_t mode)
{
    if (s_arm.plan[mode] == nullptr)
    {
        arm_err_t rc = plan_record(mode);
        if (rc != ARM_OK)
        {
            std::printf("mode %s rejected: %d\n", k_modes[mode].name, (int)rc);
            (void)cudaGetLastError();
            return rc;
        }
    }
    s_arm.mode = mode;
    return ARM_OK;
}

static arm_err_t arm_tick(void)
{
    if (s_arm.plan[s_arm.mode] == nullptr)
    {
        return ARM_ERR_STATE;
    }
    arm_err_t rc = gpu(cudaGraphLaunch(s_arm.plan[s_arm.mode], s_arm.stream));
    if (rc == ARM_OK)
    {
        rc = gpu(cudaStreamSynchronize(s_arm.stream));
    }
    return rc;
}

static arm_err_t arm_init(void)
{
    s_arm = arm_ctx_t{};
    arm_err_t rc = gpu(cudaStreamCreateWithFlags(&s_arm.stream, cudaStreamNonBlocking));
    return rc == ARM_OK ? mode_enter(MODE_TRACK) : rc;
}

static bool pose_is(float per_joint)
{
    float pose[ARM_JOINTS];
    if (cudaMemcpyFromSymbol(pose, g_pose, sizeof pose) != cudaSuccess)
    {
        return false;
    }
    for (int j = 0; j < ARM_JOINTS; j++)
    {
        if (std::fabs(pose[j] - per_joint * (float)(j + 1)) > 1e-4f)
        {
            return false;
        }
    }
    return true;
}

int main(void)
{
    bool ok = arm_init() == ARM_OK;
    for (int t = 0; t < 3; t++)
    {
        ok = ok && arm_tick() == ARM_OK && pose_is(0.5f * (float)(t + 1));
    }

    /* homing is not available; the arm goes on with tracking */
    bool home_failed = mode_enter(MODE_HOME) == ARM_ERR_GPU
                       && s_arm.last == cudaErrorStreamCaptureInvalidated;
    ok = ok && arm_tick() == ARM_OK && pose_is(2.0f);

    /* neither is docking */
    bool dock_failed = mode_enter(MODE_DOCK) == ARM_ERR_RANGE;
    bool stuck       = arm_tick() != ARM_OK;

    cudaGraph_t rest = nullptr;
    (void)cudaStreamEndCapture(s_arm.stream, &rest);
    (void)cudaGetLastError();
    bool lost = pose_is(2.0f);

    std::printf("ok=%d home=%d dock=%d stuck=%d lost=%d\n", ok, home_failed, dock_failed, stuck, lost);
    std::printf("%s\n", ok && home_failed && dock_failed && stuck && lost ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
