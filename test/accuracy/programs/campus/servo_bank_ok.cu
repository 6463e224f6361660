/* servo_bank: joint servo loop of a gantry, one graph launch per control tick.
 * Gains may be retuned and joints attached while the loop is running. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SV_CAPACITY 16

enum sv_status { SV_OK = 0, SV_ECUDA = -1, SV_EINVAL = -2 };

struct sv_gains { float kp, ki, kd; };

struct sv_bank {
    int active;
    float dt;
    struct sv_gains gains;
    struct sv_gains *d_gains;
    float *d_pos, *d_vel, *d_integ, *d_target, *d_torque;
    float *h_target, *h_pos;
    cudaStream_t stream;
    cudaGraphExec_t exec;
};

typedef int (*sv_stage_fn)(struct sv_bank *);
struct sv_stage { const char *name; sv_stage_fn enqueue; };

static int sv_report(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return SV_OK;
    fprintf(stderr, "servo: %s: %s\n", what, cudaGetErrorString(e));
    return SV_ECUDA;
}
#define SV_CALL(x) do { if (sv_report((x), #x)) return SV_ECUDA; } while (0)

__global__ void control_kernel(const float *target, const float *pos, const float *vel, float *integ,
                               float *torque, int n, float dt, const sv_gains *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float err = target[i] - pos[i];
    integ[i] += err * dt;
    torque[i] = g->kp * err + g->ki * integ[i] - g->kd * vel[i];
}

__global__ void plant_kernel(float *pos, float *vel, const float *torque, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    vel[i] += torque[i] * dt;
    pos[i] += vel[i] * dt;
}

static int stage_targets(struct sv_bank *b)
{
    SV_CALL(cudaMemcpyAsync(b->d_target, b->h_target, SV_CAPACITY * sizeof(float), cudaMemcpyHostToDevice, b->stream));
    return SV_OK;
}

static int stage_control(struct sv_bank *b)
{
    control_kernel<<<1, SV_CAPACITY, 0, b->stream>>>(b->d_target, b->d_pos, b->d_vel, b->d_integ, b->d_torque, SV_CAPACITY, b->dt, b->d_gains);
    return sv_report(cudaGetLastError(), "control_kernel");
}

static int stage_plant(struct sv_bank *b)
{
    plant_kernel<<<(b->active + 3) / 4, 4, 0, b->stream>>>(b->d_pos, b->d_vel, b->d_torque, b->active, b->dt);
    return sv_report(cudaGetLastError(), "plant_kernel");
}

static int stage_readback(struct sv_bank *b)
{
    SV_CALL(cudaMemcpyAsync(b->h_pos, b->d_pos, SV_CAPACITY * sizeof(float), cudaMemcpyDeviceToHost, b->stream));
    return SV_OK;
}

static const struct sv_stage sv_pipeline[] = {
    { "targets", stage_targets },
    { "control", stage_control },
    { "plant", stage_plant },
    { "readback", stage_readback },
};

/* Capture the pipeline for the present number of joints; patch the running exec when its topology allows. */
static int sv_rebuild(struct sv_bank *b)
{
    cudaGraph_t fresh = NULL;
    int rc = SV_OK;
    SV_CALL(cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeGlobal));
    for (const struct sv_stage &st : sv_pipeline) {
        int r = st.enqueue(b);
        if (r != SV_OK) {
            fprintf(stderr, "servo: stage %s failed\n", st.name);
            rc = r;
        }
    }
    SV_CALL(cudaStreamEndCapture(b->stream, &fresh));
    if (rc == SV_OK && b->exec) {
        cudaGraphExecUpdateResultInfo info;
        if (cudaGraphExecUpdate(b->exec, fresh, &info) != cudaSuccess) {
            (void)cudaGetLastError();
            cudaGraphExecDestroy(b->exec);
            b->exec = NULL;
        }
    }
    if (rc == SV_OK && !b->exec)
        rc = sv_report(cudaGraphInstantiate(&b->exec, fresh, 0), "instantiate");
    cudaGraphDestroy(fresh);
    return rc;
}

static int sv_set_gains(struct sv_bank *b, struct sv_gains gains)
{
    if (gains.kp < 0 || gains.kd < 0) return SV_EINVAL;
    b->gains = gains;
    SV_CALL(cudaMemcpyAsync(b->d_gains, &b->gains, sizeof b->gains, cudaMemcpyHostToDevice, b->stream));
    return SV_OK;
}

static int sv_open(struct sv_bank *b, int active, struct sv_gains gains)
{
    memset(b, 0, sizeof *b);
    b->active = active;
    b->dt = 0.01f;
    SV_CALL(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
    float **bufs[] = { &b->d_pos, &b->d_vel, &b->d_integ, &b->d_target, &b->d_torque };
    for (float **p : bufs) {
        SV_CALL(cudaMalloc((void **)p, SV_CAPACITY * sizeof(float)));
        SV_CALL(cudaMemsetAsync(*p, 0, SV_CAPACITY * sizeof(float), b->stream));
    }
    SV_CALL(cudaMalloc((void **)&b->d_gains, sizeof *b->d_gains));
    SV_CALL(cudaMallocHost((void **)&b->h_target, SV_CAPACITY * sizeof(float)));
    SV_CALL(cudaMallocHost((void **)&b->h_pos, SV_CAPACITY * sizeof(float)));
    int rc = sv_set_gains(b, gains);
    if (rc != SV_OK) return rc;
    SV_CALL(cudaStreamSynchronize(b->stream));
    return sv_rebuild(b);
}

static int sv_attach(struct sv_bank *b, int count)
{
    if (b->active + count > SV_CAPACITY) return SV_EINVAL;
    b->active += count;
    return sv_rebuild(b);
}

static int sv_tick(struct sv_bank *b)
{
    SV_CALL(cudaGraphLaunch(b->exec, b->stream));
    SV_CALL(cudaStreamSynchronize(b->stream));
    return SV_OK;
}

static void sv_close(struct sv_bank *b)
{
    cudaGraphExecDestroy(b->exec);
    float *bufs[] = { b->d_pos, b->d_vel, b->d_integ, b->d_target, b->d_torque };
    for (float *p : bufs) cudaFree(p);
    cudaFree(b->d_gains);
    cudaFreeHost(b->h_target);
    cudaFreeHost(b->h_pos);
    cudaStreamDestroy(b->stream);
}

int main(void)
{
    struct sv_gains slow = { 20.f, 1.f, 4.f }, stiff = { 60.f, 3.f, 9.f };
    struct sv_bank bank;
    float pos[SV_CAPACITY] = { 0 }, vel[SV_CAPACITY] = { 0 }, integ[SV_CAPACITY] = { 0 };
    int wrong = 0, rc = sv_open(&bank, 4, slow);
    if (rc != SV_OK) { printf("LABEL UNOBSERVED\n"); return 1; }

    struct sv_gains now = slow;
    int active = 4;
    for (int tick = 0; tick < 80 && rc == SV_OK; ++tick) {
        if (tick == 40) {
            now = stiff;
            active = 7;
            rc = sv_set_gains(&bank, stiff);
            if (rc == SV_OK) rc = sv_attach(&bank, 3);
            if (rc != SV_OK) break;
        }
        for (int i = 0; i < SV_CAPACITY; ++i)
            bank.h_target[i] = 1.f + 0.1f * i + 0.01f * tick;
        rc = sv_tick(&bank);
        for (int i = 0; i < SV_CAPACITY; ++i) {
            float err = bank.h_target[i] - pos[i];
            integ[i] += err * bank.dt;
            float torque = now.kp * err + now.ki * integ[i] - now.kd * vel[i];
            if (i < active) {
                vel[i] += torque * bank.dt;
                pos[i] += vel[i] * bank.dt;
            }
            if (fabsf(pos[i] - bank.h_pos[i]) > 1e-3f) ++wrong;
        }
    }
    sv_close(&bank);
    printf("rc %d, %d joint positions off the model\n", rc, wrong);
    printf(rc == SV_OK && wrong == 0 ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
