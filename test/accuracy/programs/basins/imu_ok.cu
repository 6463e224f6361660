/* Inertial sensor front end. Frames with a varying number of samples are calibrated and
 * integrated on the GPU; a host node hands the summary of every frame to a sink. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define IMU_MAX_SAMPLES 1024

#define TRY(call)                                                                    \
    do {                                                                             \
        cudaError_t e_ = (call);                                                     \
        if (e_ != cudaSuccess) {                                                     \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));              \
            rc = -1;                                                                 \
            goto out;                                                                \
        }                                                                            \
    } while (0)

struct imu_frame {
    int count;
    float accel[IMU_MAX_SAMPLES];
};

struct imu_summary {
    float sum;
    float peak;
};

struct imu_sink {
    const struct imu_summary *source;
    struct imu_summary last;
    int frames;
    cudaError_t status;
};

struct imu_ctx {
    cudaStream_t stream;
    cudaGraphExec_t exec;
    struct imu_frame *host_frame;
    struct imu_frame *dev_frame;
    float *calibrated;
    struct imu_summary *dev_summary;
    struct imu_summary *host_summary;
    struct imu_sink sink;
};

struct imu_ops {
    int (*open)(struct imu_ctx *);
    int (*build)(struct imu_ctx *);
    int (*push)(struct imu_ctx *, const float *, int);
    void (*close)(struct imu_ctx *);
};

__global__ void k_calibrate(const struct imu_frame *f, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < f->count)
        out[i] = f->accel[i] * 2.f - 1.f;
}

__global__ void k_summarize(const struct imu_frame *f, const float *in, struct imu_summary *s)
{
    const int n = f->count;
    __shared__ float sum[256], peak[256];
    float a = 0.f, p = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        a += in[i];
        p = fmaxf(p, fabsf(in[i]));
    }
    sum[threadIdx.x] = a;
    peak[threadIdx.x] = p;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) {
            sum[threadIdx.x] += sum[threadIdx.x + w];
            peak[threadIdx.x] = fmaxf(peak[threadIdx.x], peak[threadIdx.x + w]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        s->sum = sum[0];
        s->peak = peak[0];
    }
}

static void CUDART_CB imu_deliver(void *arg)
{
    struct imu_sink *sink = (struct imu_sink *)arg;
    sink->last = *sink->source;
    sink->status = cudaSuccess;
    sink->frames++;
}

static int imu_open(struct imu_ctx *ctx)
{
    int rc = 0;
    memset(ctx, 0, sizeof *ctx);
    TRY(cudaStreamCreateWithFlags(&ctx->stream, cudaStreamNonBlocking));
    TRY(cudaMallocHost((void **)&ctx->host_frame, sizeof *ctx->host_frame));
    TRY(cudaMallocHost((void **)&ctx->host_summary, sizeof *ctx->host_summary));
    TRY(cudaMalloc((void **)&ctx->dev_frame, sizeof *ctx->dev_frame));
    TRY(cudaMalloc((void **)&ctx->calibrated, IMU_MAX_SAMPLES * sizeof(float)));
    TRY(cudaMalloc((void **)&ctx->dev_summary, sizeof *ctx->dev_summary));
    TRY(cudaMemset(ctx->dev_summary, 0, sizeof *ctx->dev_summary));
    ctx->sink.source = ctx->host_summary;
out:
    return rc;
}

static int imu_build(struct imu_ctx *ctx)
{
    int rc = 0, ended = 0;
    cudaGraph_t graph = NULL;
    const int blocks = IMU_MAX_SAMPLES / 256;

    TRY(cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeThreadLocal));
    TRY(cudaMemcpyAsync(ctx->dev_frame, ctx->host_frame, sizeof *ctx->host_frame, cudaMemcpyHostToDevice, ctx->stream));
    k_calibrate<<<blocks, 256, 0, ctx->stream>>>(ctx->dev_frame, ctx->calibrated);
    k_summarize<<<1, 256, 0, ctx->stream>>>(ctx->dev_frame, ctx->calibrated, ctx->dev_summary);
    TRY(cudaMemcpyAsync(ctx->host_summary, ctx->dev_summary, sizeof *ctx->host_summary, cudaMemcpyDeviceToHost,
                        ctx->stream));
    TRY(cudaLaunchHostFunc(ctx->stream, imu_deliver, &ctx->sink));
    ended = 1;
    TRY(cudaStreamEndCapture(ctx->stream, &graph));
    TRY(cudaGraphInstantiate(&ctx->exec, graph, 0));
out:
    if (rc != 0 && !ended)
        cudaStreamEndCapture(ctx->stream, &graph);
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

static int imu_push(struct imu_ctx *ctx, const float *samples, int count)
{
    int rc = 0;
    if (count > IMU_MAX_SAMPLES)
        return -1;
    ctx->host_frame->count = count;
    memcpy(ctx->host_frame->accel, samples, count * sizeof(float));
    if (ctx->exec == NULL && imu_build(ctx) != 0)
        return -1;
    TRY(cudaGraphLaunch(ctx->exec, ctx->stream));
    TRY(cudaStreamSynchronize(ctx->stream));
out:
    return rc;
}

static void imu_close(struct imu_ctx *ctx)
{
    if (ctx->exec)
        cudaGraphExecDestroy(ctx->exec);
    cudaFree(ctx->dev_frame);
    cudaFree(ctx->calibrated);
    cudaFree(ctx->dev_summary);
    cudaFreeHost(ctx->host_frame);
    cudaFreeHost(ctx->host_summary);
    cudaStreamDestroy(ctx->stream);
}

static const struct imu_ops imu_gpu_ops = {imu_open, imu_build, imu_push, imu_close};

static int summary_matches(const struct imu_summary *got, const float *s, int n)
{
    double sum = 0, peak = 0;
    for (int i = 0; i < n; i++) {
        double v = s[i] * 2.0 - 1.0;
        sum += v;
        peak = fmax(peak, fabs(v));
    }
    return fabs(got->sum - sum) < 1e-2 * (1 + fabs(sum)) && fabs(got->peak - peak) < 1e-3 * (1 + peak);
}

int main(void)
{
    static const int counts[] = {100, 700, 1024, 40};
    static float samples[IMU_MAX_SAMPLES];
    const struct imu_ops *ops = &imu_gpu_ops;
    struct imu_ctx ctx;
    int computed = 0, delivered = 0, frame, i;
    int total = sizeof counts / sizeof counts[0];

    if (ops->open(&ctx) != 0) {
        puts("LABEL WRONG");
        return 0;
    }
    for (frame = 0; frame < total; frame++) {
        for (i = 0; i < IMU_MAX_SAMPLES; i++)
            samples[i] = 1.f + 0.001f * i + frame;
        if (ops->push(&ctx, samples, counts[frame]) != 0)
            break;
        computed += summary_matches(ctx.host_summary, samples, counts[frame]);
        delivered += ctx.sink.status == cudaSuccess && summary_matches(&ctx.sink.last, samples, counts[frame]);
    }
    printf("frames=%d computed=%d delivered=%d status=%s\n", ctx.sink.frames, computed, delivered,
           cudaGetErrorName(ctx.sink.status));
    puts(ctx.sink.frames == total && computed == total && delivered == total ? "LABEL CONFIRMED" : "LABEL WRONG");
    ops->close(&ctx);
    return 0;
}
