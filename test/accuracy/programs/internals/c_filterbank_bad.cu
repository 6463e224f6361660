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
    cudaError_t detail;
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
    rc = cudaMalloc((void **)&b->scratch, n * sizeof(float)); // HAZARD device_allocation
    if (rc == cudaSuccess)
        b->scratch_len = n;
    return rc;
}

static cudaError_t bank_close_graph(struct bank *b, cudaStream_t s)
{
    cudaGraph_t g = NULL;
    cudaError_t rc = cudaStreamEndCapture(s, &g); // HAZARD capture_scope #lane
    if (rc != cudaSuccess) return rc;
    rc = cudaGraphInstantiate(&b->exec, g, 0);
    cudaGraphDestroy(g);
    return rc;
}

static cudaError_t record_filter(struct bank *b)
{
    cudaStream_t s = bank_lane(b, LANE_COMPUTE);
    cudaError_t rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess)
        return rc;
    b->detail = cudaStreamWaitEvent(s, b->loaded, 0); // HAZARD stream_dependency
    fir<<<BANK_LEN / 64, 64, 0, s>>>(b->in, b->taps, b->out, BANK_LEN);
    return bank_close_graph(b, s);
}

static cudaError_t record_gain(struct bank *b)
{
    cudaStream_t s = bank_lane(b, LANE_COMPUTE);
    cudaError_t rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess)
        return rc;
    b->detail = bank_scratch(b, BANK_LEN);
    gain<<<BANK_LEN / 64, 64, 0, s>>>(b->in, 2.0f, b->scratch, BANK_LEN);
    offset<<<BANK_LEN / 64, 64, 0, s>>>(b->scratch, 1.0f, b->out, BANK_LEN);
    return bank_close_graph(b, s);
}

static cudaError_t record_cascade(struct bank *b)
{
    unsigned next = b->stage + 1;
    cudaStream_t s = bank_lane(b, b->stage);
    cudaError_t rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal); // HAZARD capture_scope #lane
    if (rc != cudaSuccess) return rc;
    gain<<<BANK_LEN / 64, 64, 0, s>>>(b->in, 3.0f, b->out, BANK_LEN);
    offset<<<BANK_LEN / 64, 64, 0, s>>>(b->out, 4.0f, b->out, BANK_LEN);
    b->detail = bank_close_graph(b, bank_lane(b, next));
    b->stage = next;
    return b->detail;
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
    return ok;
}

int main(void)
{
    struct bank banks[3];
    cudaError_t rc[3];
    cudaStreamCaptureStatus lane = cudaStreamCaptureStatusNone;
    cudaGraph_t partial = NULL;
    int i, ready = 1;
    for (i = 0; i < 3; ++i) {
        ready &= bank_open(&banks[i]) && bank_load(&banks[i], 2.0f, 5.0f);
        rc[i] = OPS[i].record(&banks[i]);
    }
    cudaStreamIsCapturing(banks[2].lanes[LANE_COMPUTE], &lane);
    cudaStreamEndCapture(banks[2].lanes[LANE_COMPUTE], &partial);
    int isolated = banks[0].detail == cudaErrorStreamCaptureIsolation;
    int refused = banks[1].detail == cudaErrorStreamCaptureUnsupported && rc[1] == cudaErrorStreamCaptureInvalidated;
    int crossed = rc[2] != cudaSuccess && lane == cudaStreamCaptureStatusActive && partial;
    if (ready && isolated && refused && crossed)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED detail %d %d %d rc %d %d %d lane %d\n", banks[0].detail, banks[1].detail,
               banks[2].detail, rc[0], rc[1], rc[2], (int)lane);
    return 0;
}
