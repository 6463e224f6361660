#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

typedef enum { HAL_OK = 0, HAL_EIO = -5, HAL_EINVAL = -22, HAL_ENOTREADY = -61 } hal_rc;

struct servo_dev;

typedef struct servo_ops {
    hal_rc (*probe)(struct servo_dev *);
    hal_rc (*encode)(struct servo_dev *);
    hal_rc (*settle)(struct servo_dev *);
    hal_rc (*remove)(struct servo_dev *);
} servo_ops;

typedef struct servo_dev {
    const char *name;
    const servo_ops *ops;
    cudaStream_t q;
    cudaGraphExec_t prog;
    float *setpoint;
    float *torque;
    int axes;
    cudaError_t last;
} servo_dev;

__global__ void pid_step(const float *setpoint, float *torque, int axes)
{
    int i = threadIdx.x;
    if (i < axes) torque[i] += 0.25f * (setpoint[i] - torque[i]);
}

__global__ void clamp_torque(float *torque, int axes, float lim)
{
    int i = threadIdx.x;
    if (i < axes) torque[i] = fminf(fmaxf(torque[i], -lim), lim);
}

static hal_rc note(servo_dev *d, cudaError_t e)
{
    d->last = e;
    return e == cudaSuccess ? HAL_OK : HAL_EIO;
}

static hal_rc can_probe(servo_dev *d)
{
    float host[16];
    for (int i = 0; i < 16; ++i) host[i] = 8.0f;
    if (d->axes > 16) return HAL_EINVAL;
    if (note(d, cudaStreamCreateWithFlags(&d->q, cudaStreamNonBlocking))) return HAL_EIO;
    if (note(d, cudaMalloc((void **)&d->setpoint, sizeof host))) return HAL_EIO;
    if (note(d, cudaMalloc((void **)&d->torque, sizeof host))) return HAL_EIO;
    if (note(d, cudaMemset(d->torque, 0, sizeof host))) return HAL_EIO;
    if (note(d, cudaMemcpy(d->setpoint, host, sizeof host, cudaMemcpyHostToDevice))) return HAL_EIO;
    return note(d, cudaDeviceSynchronize());
}

static hal_rc can_encode(servo_dev *d)
{
    pid_step<<<1, 32, 0, d->q>>>(d->setpoint, d->torque, d->axes);
    clamp_torque<<<1, 32, 0, d->q>>>(d->torque, d->axes, 6.0f);
    return note(d, cudaGetLastError());
}

static hal_rc can_settle(servo_dev *d)
{
    enum cudaStreamCaptureStatus st;
    if (note(d, cudaStreamIsCapturing(d->q, &st))) return HAL_EIO;
    if (st != cudaStreamCaptureStatusNone) return HAL_OK;
    return note(d, cudaStreamSynchronize(d->q));
}

static hal_rc can_remove(servo_dev *d)
{
    if (d->prog) cudaGraphExecDestroy(d->prog);
    cudaFree(d->setpoint);
    cudaFree(d->torque);
    return note(d, cudaStreamDestroy(d->q));
}

static const servo_ops can_ops = { can_probe, can_encode, can_settle, can_remove };

static hal_rc servo_cycle(servo_dev *d)
{
    hal_rc rc = d->ops->encode(d);
    if (rc != HAL_OK) return rc;
    return d->ops->settle(d);
}

static hal_rc servo_program(servo_dev *d)
{
    cudaGraph_t g = NULL;
    hal_rc rc;
    cudaError_t closed;
    if (note(d, cudaStreamBeginCapture(d->q, cudaStreamCaptureModeThreadLocal))) return HAL_EIO;
    rc = servo_cycle(d);
    closed = cudaStreamEndCapture(d->q, &g);
    if (rc != HAL_OK) goto out;
    rc = note(d, closed);
    if (rc != HAL_OK) goto out;
    rc = note(d, cudaGraphInstantiate(&d->prog, g, 0));
out:
    if (g) cudaGraphDestroy(g);
    return rc;
}

static hal_rc servo_tick(servo_dev *d)
{
    if (!d->prog) return HAL_ENOTREADY;
    if (note(d, cudaGraphLaunch(d->prog, d->q))) return HAL_EIO;
    return d->ops->settle(d);
}

int main(void)
{
    servo_dev dev;
    memset(&dev, 0, sizeof dev);
    dev.name = "axis0";
    dev.ops = &can_ops;
    dev.axes = 4;
    if (dev.ops->probe(&dev) != HAL_OK) {
        printf("LABEL REFUTED probe %d\n", (int)dev.last);
        return 0;
    }
    hal_rc rc = servo_program(&dev);
    if (rc == HAL_OK) rc = servo_tick(&dev);
    if (rc == HAL_OK) rc = servo_tick(&dev);
    float t[4] = { 0, 0, 0, 0 };
    cudaError_t e = cudaMemcpy(t, dev.torque, sizeof t, cudaMemcpyDeviceToHost);
    int right = rc == HAL_OK && e == cudaSuccess && t[0] == 3.5f && t[3] == 3.5f;
    if (dev.ops->remove(&dev) != HAL_OK) right = 0;
    printf("LABEL %s rc=%d torque=%g\n", right ? "CONFIRMED" : "REFUTED", rc, t[0]);
    return 0;
}
