#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

enum { BANK_LEN = 256, LANES = 2, LANE_COMPUTE = 0, LANE_COPY = 1 };

struct bank {
    float *in, *out, *taps, *scratch;
    size_t scratch_len;
    cudaStream_t lanes[LANES];
    cudaEvent_t loaded;
    cudaGraphExec_t exec;
    unsigned stage;
};

struct bank_ops {
    const char *name;
    cudaError_t (*record)(struct bank *b);
    float expect;
};

__global__ void fir(const float *x, const float *taps, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * taps[i];
}

__global__ void gain(const float *x, float g, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * g;
}

__global__ void offset(const float *x, float o, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + o;
}

static cudaStream_t bank_lane(const struct bank *b, unsigned stage)
{
    return b->lanes[stage % LANES];
}

static cudaError_t bank_scratch(struct bank *b, size_t n)
{
    cudaError_t rc = cudaSuccess;
    if (n <= b->scratch_len)
        return rc;
    rc = cudaMalloc((void **)&b->scratch, n * sizeof(float));
    if (rc == cudaSuccess)
        b->scratch_len = n;
    return rc;
}

static cudaError_t bank_close_graph(struct bank *b, cudaStream_t s)
{
    cudaGraph_t g = NULL;
    cudaError_t rc = cudaStreamEndCapture(s, &g);
    if (rc != cudaSuccess) return rc;
    rc = cudaGraphInstantiate(&b->exec, g, 0);
    cudaGraphDestroy(g);
    return rc;
}

static cudaError_t record_filter(struct bank *b)
{
    cudaStream_t s = bank_lane(b, LANE_COMPUTE);
    cudaError_t rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    fir<<<BANK_LEN / 64, 64, 0, s>>>(b->in, b->taps, b->out, BANK_LEN);
    return bank_close_graph(b, s);
}

static cudaError_t record_gain(struct bank *b)
{
    cudaStream_t s = bank_lane(b, LANE_COMPUTE);
    cudaError_t rc = bank_scratch(b, BANK_LEN);
    if (rc == cudaSuccess)
        rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    gain<<<BANK_LEN / 64, 64, 0, s>>>(b->in, 2.0f, b->scratch, BANK_LEN);
    offset<<<BANK_LEN / 64, 64, 0, s>>>(b->scratch, 1.0f, b->out, BANK_LEN);
    return bank_close_graph(b, s);
}

static cudaError_t record_cascade(struct bank *b)
{
    cudaStream_t s = bank_lane(b, b->stage);
    cudaError_t rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    gain<<<BANK_LEN / 64, 64, 0, s>>>(b->in, 3.0f, b->out, BANK_LEN);
    offset<<<BANK_LEN / 64, 64, 0, s>>>(b->out, 4.0f, b->out, BANK_LEN);
    rc = bank_close_graph(b, s);
    b->stage++;
    return rc;
}

static const struct bank_ops OPS[] = {
    {"filter", record_filter, 10.0f},
    {"gain", record_gain, 5.0f},
    {"cascade", record_cascade, 10.0f},
};

static int bank_open(struct bank *b)
{
    int ok, i;
    memset(b, 0, sizeof *b);
    ok = cudaMalloc((void **)&b->in, BANK_LEN * sizeof(float)) == cudaSuccess;
    ok &= cudaMalloc((void **)&b->out, BANK_LEN * sizeof(float)) == cudaSuccess;
    ok &= cudaMalloc((void **)&b->taps, BANK_LEN * sizeof(float)) == cudaSuccess;
    ok &= cudaEventCreateWithFlags(&b->loaded, cudaEventDisableTiming) == cudaSuccess;
    for (i = 0; i < LANES; ++i)
        ok &= cudaStreamCreateWithFlags(&b->lanes[i], cudaStreamNonBlocking) == cudaSuccess;
    return ok;
}

static int bank_load(struct bank *b, float x, float tap)
{
    float in[BANK_LEN], taps[BANK_LEN];
    int i, ok = 1;
    for (i = 0; i < BANK_LEN; ++i) in[i] = x, taps[i] = tap;
    ok &= cudaMemcpyAsync(b->in, in, sizeof in, cudaMemcpyHostToDevice, b->lanes[LANE_COPY]) == cudaSuccess;
    ok &= cudaMemcpyAsync(b->taps, taps, sizeof taps, cudaMemcpyHostToDevice, b->lanes[LANE_COPY]) == cudaSuccess;
    ok &= cudaEventRecord(b->loaded, b->lanes[LANE_COPY]) == cudaSuccess;
    ok &= cudaStreamWaitEvent(b->lanes[LANE_COMPUTE], b->loaded, 0) == cudaSuccess;
    return ok;
}

static float bank_run(struct bank *b)
{
    float y = -1.0f;
    cudaStream_t s = b->lanes[LANE_COMPUTE];
    if (cudaGraphLaunch(b->exec, s) != cudaSuccess) return y;
    cudaMemcpyAsync(&y, b->out + BANK_LEN - 1, sizeof y, cudaMemcpyDeviceToHost, s);
    return cudaStreamSynchronize(s) == cudaSuccess ? y : -1.0f;
}

int main(void)
{
    struct bank banks[3];
    cudaError_t rc[3];
    float y[3] = {0}, z[3] = {0};
    int i, ready = 1, right = 1;
    for (i = 0; i < 3; ++i) {
        ready &= bank_open(&banks[i]) && bank_load(&banks[i], 2.0f, 5.0f);
        rc[i] = OPS[i].record(&banks[i]);
        if (!ready || rc[i] != cudaSuccess) continue;
        y[i] = bank_run(&banks[i]);
        ready &= bank_load(&banks[i], 2.0f, 5.0f);
        z[i] = bank_run(&banks[i]);
        right &= y[i] == OPS[i].expect && z[i] == OPS[i].expect;
    }
    if (ready && right && rc[0] == cudaSuccess && rc[1] == cudaSuccess && rc[2] == cudaSuccess)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED rc %d %d %d y %f %f %f z %f %f %f\n", rc[0], rc[1], rc[2],
               y[0], y[1], y[2], z[0], z[1], z[2]);
    return 0;
}
