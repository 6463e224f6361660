/*****************************************************************************
 * axis_ops.cu
 *
 * Axis controller firmware model. Programs are constant tables of operations,
 * "compiled" once by walking the table and then replayed on every tick.
 *****************************************************************************/
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define NUM_AXES     64u
#define POLL_LIMIT   100000u
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef enum { CH_CTRL = 0, CH_AUX, CH_NUM } chan_id_t;
typedef enum { PROG_CONTROL = 0, PROG_SELFTEST, PROG_NUM } prog_id_t;
typedef enum { RC_OK = 0, RC_DRIVER, RC_TIMEOUT, RC_NOT_LOADED } rc_t;

typedef struct
{
    float kp;
    float bias;
    float max_cmd;
} axis_param_t;

typedef struct
{
    cudaStream_t    chan[CH_NUM];
    cudaEvent_t     evt_fork, evt_join;
    cudaGraphExec_t prog[PROG_NUM];
    cudaError_t     last_error;
    float          *setpoint;
    float          *measured;
    float          *cmd;
    float          *drive;
    float          *pattern;
    uint32_t       *mismatch;
    axis_param_t    param;
} axis_ctl_t;

typedef rc_t (*op_fn_t)(axis_ctl_t *ctl, cudaStream_t s);

typedef struct
{
    const char *name;
    op_fn_t     fn;
} op_row_t;

typedef struct
{
    const char     *name;
    op_fn_t         prepare; /* runs before the table is compiled */
    const op_row_t *rows;
    size_t          count;
} prog_desc_t;

/* --- kernels --- */

__global__ void krn_error(const float *sp, const float *meas, float *cmd)
{
    cmd[threadIdx.x] = sp[threadIdx.x] - meas[threadIdx.x];
}

__global__ void krn_gain(float *cmd, float kp, float bias)
{
    cmd[threadIdx.x] = cmd[threadIdx.x] * kp + bias;
}

__global__ void krn_saturate(const float *cmd, float *drive, float max_cmd)
{
    drive[threadIdx.x] = fminf(fmaxf(cmd[threadIdx.x], -max_cmd), max_cmd);
}

__global__ void krn_pattern(float *pattern)
{
    pattern[threadIdx.x] = 0.5f * (float)threadIdx.x;
}

__global__ void krn_compare(const float *pattern, uint32_t *mismatch)
{
    atomicAdd(mismatch, (pattern[threadIdx.x] != 0.5f * (float)threadIdx.x) ? 1u : 0u);
}

/* --- hardware abstraction --- */

static rc_t hal_check(axis_ctl_t *ctl, cudaError_t e)
{
    if (e != cudaSuccess)
    {
        ctl->last_error = e;
        return RC_DRIVER;
    }
    return RC_OK;
}

static rc_t hal_poll_idle(axis_ctl_t *ctl, cudaStream_t s)
{
    for (uint32_t n = 0u; n < POLL_LIMIT; n++) /* a pass takes a few microseconds */
    {
        cudaError_t e = cudaStreamQuery(s);
        if (e != cudaErrorNotReady) { return hal_check(ctl, e); }
        (void)cudaGetLastError();
    }
    return RC_TIMEOUT;
}

static rc_t hal_handover(axis_ctl_t *ctl, cudaStream_t from, cudaStream_t to, cudaEvent_t e)
{
    rc_t rc = hal_check(ctl, cudaEventRecord(e, from));
    return (rc == RC_OK) ? hal_check(ctl, cudaStreamWaitEvent(to, e, 0)) : rc;
}

/* --- operations --- */

static rc_t op_error(axis_ctl_t *ctl, cudaStream_t s)
{
    krn_error<<<1, NUM_AXES, 0, s>>>(ctl->setpoint, ctl->measured, ctl->cmd);
    return hal_check(ctl, cudaGetLastError());
}

static rc_t op_gain(axis_ctl_t *ctl, cudaStream_t s)
{
    krn_gain<<<1, NUM_AXES, 0, s>>>(ctl->cmd, ctl->param.kp, ctl->param.bias);
    return hal_check(ctl, cudaGetLastError());
}

static rc_t op_saturate(axis_ctl_t *ctl, cudaStream_t s)
{
    rc_t rc = hal_handover(ctl, s, ctl->chan[CH_AUX], ctl->evt_fork);
    krn_saturate<<<1, NUM_AXES, 0, ctl->chan[CH_AUX]>>>(ctl->cmd, ctl->drive, ctl->param.max_cmd);
    return (rc == RC_OK) ? hal_handover(ctl, ctl->chan[CH_AUX], s, ctl->evt_join) : rc;
}

static rc_t op_write_pattern(axis_ctl_t *ctl, cudaStream_t s)
{
    rc_t rc = hal_check(ctl, cudaMemsetAsync(ctl->mismatch, 0, sizeof(uint32_t), s));
    krn_pattern<<<1, NUM_AXES, 0, s>>>(ctl->pattern);
    return (rc == RC_OK) ? hal_check(ctl, cudaGetLastError()) : rc;
}

static rc_t op_settle(axis_ctl_t *ctl, cudaStream_t s)
{
    return hal_poll_idle(ctl, s);
}

static rc_t op_compare(axis_ctl_t *ctl, cudaStream_t s)
{
    krn_compare<<<1, NUM_AXES, 0, s>>>(ctl->pattern, ctl->mismatch);
    return hal_check(ctl, cudaGetLastError());
}

static const op_row_t k_control_rows[] = {
    { "error",    op_error    },
    { "gain",     op_gain     },
    { "saturate", op_saturate },
};

static const op_row_t k_selftest_rows[] = {
    { "write",   op_write_pattern },
    { "compare", op_compare       },
};

static const prog_desc_t k_programs[PROG_NUM] = {
    { "control",  nullptr,   k_control_rows,  ARRAY_LEN(k_control_rows)  },
    { "selftest", op_settle, k_selftest_rows, ARRAY_LEN(k_selftest_rows) },
};

/* --- program loader --- */

static rc_t walk(axis_ctl_t *ctl, const prog_desc_t *desc, cudaStream_t s)
{
    for (size_t i = 0u; i < desc->count; i++)
    {
        rc_t rc = desc->rows[i].fn(ctl, s);
        if (rc != RC_OK)
        {
            std::printf("%s.%s: %s\n", desc->name, desc->rows[i].name, cudaGetErrorName(ctl->last_error));
            return rc;
        }
    }
    return RC_OK;
}

/* Interpreted execution, used for bring-up and by the bench. */
static rc_t prog_interpret(axis_ctl_t *ctl, prog_id_t id)
{
    rc_t rc = walk(ctl, &k_programs[id], ctl->chan[CH_CTRL]);
    return (rc == RC_OK) ? hal_check(ctl, cudaDeviceSynchronize()) : rc;
}

static rc_t prog_load(axis_ctl_t *ctl, prog_id_t id)
{
    cudaStream_t s = ctl->chan[CH_CTRL];
    cudaGraph_t  g = nullptr;
    rc_t         rc = (k_programs[id].prepare != nullptr) ? k_programs[id].prepare(ctl, s) : RC_OK;
    if (rc == RC_OK) { rc = hal_check(ctl, cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)); }
    if (rc != RC_OK) { return rc; }
    rc = walk(ctl, &k_programs[id], s);
    rc_t ended = hal_check(ctl, cudaStreamEndCapture(s, &g));
    if ((rc == RC_OK) && (ended == RC_OK)) { rc = hal_check(ctl, cudaGraphInstantiate(&ctl->prog[id], g, 0)); }
    if (g != nullptr) { (void)cudaGraphDestroy(g); }
    (void)cudaGetLastError();
    return (rc == RC_OK) ? ended : rc;
}

static rc_t prog_tick(axis_ctl_t *ctl, prog_id_t id)
{
    if (ctl->prog[id] == nullptr) { return RC_NOT_LOADED; }
    rc_t rc = hal_check(ctl, cudaGraphLaunch(ctl->prog[id], ctl->chan[CH_CTRL]));
    return (rc == RC_OK) ? op_settle(ctl, ctl->chan[CH_CTRL]) : rc;
}

static bool axis_init(axis_ctl_t *ctl)
{
    const size_t bytes = NUM_AXES * sizeof(float);
    bool ok = true;
    std::memset(ctl, 0, sizeof(*ctl));
    for (cudaStream_t &ch : ctl->chan)
    {
        ok = ok && (cudaStreamCreateWithFlags(&ch, cudaStreamNonBlocking) == cudaSuccess);
    }
    for (float **p : { &ctl->setpoint, &ctl->measured, &ctl->cmd, &ctl->drive, &ctl->pattern })
    {
        ok = ok && (cudaMalloc((void **)p, bytes) == cudaSuccess) && (cudaMemset(*p, 0, bytes) == cudaSuccess);
    }
    ok = ok && (cudaMalloc((void **)&ctl->mismatch, sizeof(uint32_t)) == cudaSuccess);
    ok = ok && (cudaEventCreateWithFlags(&ctl->evt_fork, cudaEventDisableTiming) == cudaSuccess);
    ok = ok && (cudaEventCreateWithFlags(&ctl->evt_join, cudaEventDisableTiming) == cudaSuccess);
    ctl->param = { 1.5f, 0.25f, 20.0f };
    return ok && (cudaDeviceSynchronize() == cudaSuccess);
}

/* --- bench --- */

static void bench_inputs(axis_ctl_t *ctl, int tick, float *sp, float *meas)
{
    for (uint32_t a = 0u; a < NUM_AXES; a++)
    {
        sp[a] = 10.0f * std::sin(0.7f * (float)tick + 0.1f * (float)a);
        meas[a] = 0.05f * (float)a - 0.5f * (float)tick;
    }
    (void)cudaMemcpy(ctl->setpoint, sp, NUM_AXES * sizeof(float), cudaMemcpyHostToDevice);
    (void)cudaMemcpy(ctl->measured, meas, NUM_AXES * sizeof(float), cudaMemcpyHostToDevice);
    (void)cudaDeviceSynchronize();
}

static bool bench_output(const axis_ctl_t *ctl, const float *sp, const float *meas)
{
    float got[NUM_AXES];
    if (cudaMemcpy(got, ctl->drive, sizeof(got), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    for (uint32_t a = 0u; a < NUM_AXES; a++)
    {
        float want = (sp[a] - meas[a]) * ctl->param.kp + ctl->param.bias;
        want = std::fmin(std::fmax(want, -ctl->param.max_cmd), ctl->param.max_cmd);
        if (std::fabs(want - got[a]) > 1e-3f) return false;
    }
    return true;
}

int main()
{
    static axis_ctl_t ctl;
    float sp[NUM_AXES], meas[NUM_AXES];
    int good = 0, passed = 0;

    if (!axis_init(&ctl)) { return std::puts("LABEL WRONG"); }
    bench_inputs(&ctl, 0, sp, meas);
    bool brought_up = true;
    for (int round = 0; round < 2; round++)
    {
        brought_up = (prog_interpret(&ctl, PROG_CONTROL) == RC_OK) && brought_up;
    }
    rc_t control = prog_load(&ctl, PROG_CONTROL);
    for (int tick = 0; tick < 6; tick++)
    {
        bench_inputs(&ctl, tick, sp, meas);
        bool ok = (prog_tick(&ctl, PROG_CONTROL) == RC_OK) && bench_output(&ctl, sp, meas);
        good += ok ? 1 : 0;
    }

    bool interpreted = prog_interpret(&ctl, PROG_SELFTEST) == RC_OK;
    rc_t selftest = prog_load(&ctl, PROG_SELFTEST);
    for (int round = 0; round < 3; round++)
    {
        uint32_t mismatch = 99u;
        (void)cudaMemset(ctl.pattern, 0x40 + round, NUM_AXES * sizeof(float));
        (void)cudaMemcpy(ctl.mismatch, &mismatch, sizeof(mismatch), cudaMemcpyHostToDevice);
        (void)cudaDeviceSynchronize();
        bool ok = prog_tick(&ctl, PROG_SELFTEST) == RC_OK;
        (void)cudaMemcpy(&mismatch, ctl.mismatch, sizeof(mismatch), cudaMemcpyDeviceToHost);
        passed += (ok && (mismatch == 0u)) ? 1 : 0;
    }
    std::printf("control %d good %d/6, selftest interpreted %d loaded %d (%s)\n", control, good, interpreted,
                selftest, cudaGetErrorName(ctl.last_error));
    std::puts(brought_up && control == RC_OK && good == 6 && interpreted && selftest == RC_OK && passed == 3
                  ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
