/*
 * Line-oriented image codec: a chain of stages, each described by an operations table. The chain is recorded once per
 * profile and replayed per line block. C style, errors travel as negative codes.
 */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODEC_OK 0
#define CODEC_EGPU -1
#define CODEC_ENOTSUP -2
#define MAX_STAGES 4

struct codec;

struct stage_ops {
    const char *name;
    int (*record)(struct codec *c, cudaStream_t s);
};

struct profile {
    const char *name;
    int num_stages;
    const struct stage_ops *stages[MAX_STAGES];
};

struct codec {
    int width;
    int *samples;
    int *coeffs;
    int *out;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    const struct profile *active;
};

#define TRY_GPU(call)                                                           \
    do {                                                                        \
        cudaError_t e_ = (call);                                                \
        if (e_ != cudaSuccess) {                                                \
            fprintf(stderr, "codec: %s: %s\n", #call, cudaGetErrorString(e_));  \
            rc = CODEC_EGPU;                                                    \
            goto out;                                                           \
        }                                                                       \
    } while (0)

__global__ void k_level_shift(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] -= 128;
}

__global__ void k_haar(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        y[i] = x[2 * i] + x[2 * i + 1];
        y[n / 2 + i] = x[2 * i] - x[2 * i + 1];
    }
}

__global__ void k_delta(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = i ? x[i] - x[i - 1] : x[i];
}

__global__ void k_zigzag(const int *y, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = y[i] >= 0 ? 2 * y[i] : -2 * y[i] - 1;
}

static int blocks_for(const struct codec *c) { return (c->width + 127) / 128; }

static int record_shift(struct codec *c, cudaStream_t s)
{
    k_level_shift<<<blocks_for(c), 128, 0, s>>>(c->samples, c->width);
    return cudaPeekAtLastError() == cudaSuccess ? CODEC_OK : CODEC_EGPU;
}

static int record_haar(struct codec *c, cudaStream_t s)
{
    if (c->width % 2)
        return CODEC_ENOTSUP; /* the lifting needs pairs */
    k_haar<<<blocks_for(c), 128, 0, s>>>(c->samples, c->coeffs, c->width);
    return cudaPeekAtLastError() == cudaSuccess ? CODEC_OK : CODEC_EGPU;
}

static int record_delta(struct codec *c, cudaStream_t s)
{
    k_delta<<<blocks_for(c), 128, 0, s>>>(c->samples, c->coeffs, c->width);
    return cudaPeekAtLastError() == cudaSuccess ? CODEC_OK : CODEC_EGPU;
}

static int record_zigzag(struct codec *c, cudaStream_t s)
{
    k_zigzag<<<blocks_for(c), 128, 0, s>>>(c->coeffs, c->out, c->width);
    return cudaPeekAtLastError() == cudaSuccess ? CODEC_OK : CODEC_EGPU;
}

static const struct stage_ops stage_shift = {"shift", record_shift};
static const struct stage_ops stage_haar = {"haar", record_haar};
static const struct stage_ops stage_delta = {"delta", record_delta};
static const struct stage_ops stage_zigzag = {"zigzag", record_zigzag};

static const struct profile profile_wavelet = {"wavelet", 3, {&stage_shift, &stage_haar, &stage_zigzag}};
static const struct profile profile_simple = {"simple", 3, {&stage_shift, &stage_delta, &stage_zigzag}};

static int codec_select(struct codec *c, const struct profile *p)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    int rc = CODEC_OK, capturing = 0, i;

    TRY_GPU(cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
    capturing = 1;
    for (i = 0; i < p->num_stages; i++) {
        rc = p->stages[i]->record(c, c->stream);
        if (rc != CODEC_OK) {
            fprintf(stderr, "codec: profile %s: stage %s: error %d\n", p->name, p->stages[i]->name, rc);
            goto out;
        }
    }
    capturing = 0; /* whatever EndCapture returns, the stream has left capture mode */
    TRY_GPU(cudaStreamEndCapture(c->stream, &graph));
    TRY_GPU(cudaGraphInstantiate(&exec, graph, 0));
    if (c->exec)
        cudaGraphExecDestroy(c->exec);
    c->exec = exec;
    c->active = p;
out:
    if (capturing)
        cudaStreamEndCapture(c->stream, &graph); /* drop what has been recorded so far */
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

static int codec_encode(struct codec *c, const int *line, int *result)
{
    int rc = CODEC_OK;

    TRY_GPU(cudaMemcpyAsync(c->samples, line, c->width * sizeof(int), cudaMemcpyHostToDevice, c->stream));
    TRY_GPU(cudaGraphLaunch(c->exec, c->stream));
    TRY_GPU(cudaMemcpyAsync(result, c->out, c->width * sizeof(int), cudaMemcpyDeviceToHost, c->stream));
    TRY_GPU(cudaStreamSynchronize(c->stream));
out:
    return rc;
}

static void codec_close(struct codec *c)
{
    if (c->exec)
        cudaGraphExecDestroy(c->exec);
    if (c->stream)
        cudaStreamDestroy(c->stream);
    cudaFree(c->samples);
    cudaFree(c->coeffs);
    cudaFree(c->out);
}

static int codec_open(struct codec *c, int width)
{
    int rc = CODEC_OK;

    memset(c, 0, sizeof(*c));
    c->width = width;
    TRY_GPU(cudaMalloc((void **)&c->samples, width * sizeof(int)));
    TRY_GPU(cudaMalloc((void **)&c->coeffs, width * sizeof(int)));
    TRY_GPU(cudaMalloc((void **)&c->out, width * sizeof(int)));
    TRY_GPU(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking));
out:
    return rc;
}

int main(void)
{
    enum { WIDTH = 1001 };
    static int line[WIDTH], got[WIDTH];
    struct codec c;
    int rc, round, i, bad_lines = 0;

    rc = codec_open(&c, WIDTH);
    if (rc == CODEC_OK) {
        rc = codec_select(&c, &profile_wavelet);
        if (rc == CODEC_ENOTSUP) /* odd width: fall back */
            rc = codec_select(&c, &profile_simple);
    }
    for (round = 0; rc == CODEC_OK && round < 4; round++) {
        for (i = 0; i < WIDTH; i++)
            line[i] = (i * (round + 3)) % 251;
        rc = codec_encode(&c, line, got);
        for (i = 0; rc == CODEC_OK && i < WIDTH; i++) {
            int d = i ? line[i] - line[i - 1] : line[i] - 128;
            if (got[i] != (d >= 0 ? 2 * d : -2 * d - 1)) {
                bad_lines++;
                break;
            }
        }
    }
    printf("profile %s, rc %d, bad lines %d\n", c.active ? c.active->name : "none", rc, bad_lines);
    codec_close(&c);
    puts(rc == CODEC_OK && !bad_lines ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
