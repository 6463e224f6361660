/* Joint controller of a seven-axis arm, batched on the GPU. Plain C interface. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#define ARM_JOINTS 7

typedef enum { ARM_OK = 0, ARM_ERR_CUDA, ARM_ERR_STATE, ARM_ERR_ARG } arm_status;

struct arm_gains {
    float kp;
    float kd;
};

struct arm;
struct arm_stage_ops {
    const char *name;
    arm_status (*encode)(struct arm *a, cudaStream_t s);
};

struct arm {
    float *d_err, *d_rate, *d_torque;
    struct arm_gains gains;
    const struct arm_stage_ops *ops;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
};

__global__ void pd_law(const float *err, const float *rate, float *torque, struct arm_gains k)
{
    int j = threadIdx.x;
    if (j < ARM_JOINTS)
        torque[j] = k.kp * err[j] - k.kd * rate[j];
}

static arm_status pd_encode(struct arm *a, cudaStream_t s)
{
    pd_law<<<1, 32, 0, s>>>(a->d_err, a->d_rate, a->d_torque, a->gains); // HAZARD frozen
    return cudaGetLastError() == cudaSuccess ? ARM_OK : ARM_ERR_CUDA;
}

static const struct arm_stage_ops pd_ops = {"pd", pd_encode};

static arm_status arm_open(struct arm *a, const struct arm_stage_ops *ops)
{
    float ones[ARM_JOINTS] = {1, 1, 1, 1, 1, 1, 1};
    memset(a, 0, sizeof *a);
    a->ops = ops;
    a->gains.kp = 10.0f;
    a->gains.kd = 1.0f;
    if (cudaStreamCreateWithFlags(&a->stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMalloc((void **)&a->d_err, sizeof ones) != cudaSuccess ||
        cudaMalloc((void **)&a->d_rate, sizeof ones) != cudaSuccess ||
        cudaMalloc((void **)&a->d_torque, sizeof ones) != cudaSuccess)
        return ARM_ERR_CUDA;
    if (cudaMemcpy(a->d_err, ones, sizeof ones, cudaMemcpyHostToDevice) != cudaSuccess ||
        cudaMemcpy(a->d_rate, ones, sizeof ones, cudaMemcpyHostToDevice) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess)
        return ARM_ERR_CUDA;
    return ARM_OK;
}

static arm_status arm_commission(struct arm *a)
{
    arm_status st;
    if (a->exec)
        return ARM_ERR_STATE;
    if (cudaStreamBeginCapture(a->stream, cudaStreamCaptureModeRelaxed) != cudaSuccess)
        return ARM_ERR_CUDA;
    st = a->ops->encode(a, a->stream);
    if (cudaStreamEndCapture(a->stream, &a->graph) != cudaSuccess || st != ARM_OK)
        return ARM_ERR_CUDA;
    if (cudaGraphInstantiate(&a->exec, a->graph, 0) != cudaSuccess)
        return ARM_ERR_CUDA;
    return ARM_OK;
}

static arm_status arm_set_gains(struct arm *a, float kp, float kd)
{
    if (kp < 0 || kd < 0)
        return ARM_ERR_ARG;
    a->gains.kp = kp;
    a->gains.kd = kd;
    return ARM_OK;
}

static arm_status arm_tick(struct arm *a, float *torque0)
{
    if (!a->exec)
        return ARM_ERR_STATE;
    if (cudaGraphLaunch(a->exec, a->stream) != cudaSuccess)
        return ARM_ERR_CUDA;
    if (cudaMemcpyAsync(torque0, a->d_torque, sizeof *torque0, cudaMemcpyDeviceToHost, a->stream) != cudaSuccess)
        return ARM_ERR_CUDA;
    return cudaStreamSynchronize(a->stream) == cudaSuccess ? ARM_OK : ARM_ERR_CUDA;
}

static void arm_close(struct arm *a)
{
    if (a->exec)
        cudaGraphExecDestroy(a->exec);
    if (a->graph)
        cudaGraphDestroy(a->graph);
    cudaFree(a->d_err);
    cudaFree(a->d_rate);
    cudaFree(a->d_torque);
    if (a->stream)
        cudaStreamDestroy(a->stream);
}

int main(void)
{
    static const float tuning[][2] = {{10, 1}, {20, 2}, {35, 5}};
    struct arm a;
    int right = 1;
    if (arm_open(&a, &pd_ops) != ARM_OK || arm_commission(&a) != ARM_OK)
        return 2;
    for (int i = 0; i < 3; ++i) {
        float t = 0;
        if (arm_set_gains(&a, tuning[i][0], tuning[i][1]) != ARM_OK || arm_tick(&a, &t) != ARM_OK)
            return 2;
        printf("%s kp %.0f kd %.0f torque %.1f\n", a.ops->name, a.gains.kp, a.gains.kd, t);
        right = right && t == tuning[i][0] - tuning[i][1];
    }
    arm_close(&a);
    puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
