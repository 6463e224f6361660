/*
 * Stacking of seismic shot gathers.
 *
 * A processing chain is a list of steps; each step is an entry of a table with a check function and a record function.
 * chain_build() records a chain into a graph, chain_run() replays it for a gather.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_TRACES 64
#define N_SAMPLES 1024
#define MAX_STEPS 8

enum { SEIS_OK = 0, SEIS_ECUDA = 1, SEIS_EPARAM = 2, SEIS_EMEM = 3 };
enum step_kind { STEP_NMO, STEP_MUTE, STEP_AGC, STEP_STACK };

struct step {
    enum step_kind kind;
    float a, b;
};

struct seis_ctx {
    cudaStream_t stream;
    float *gather;       /* [trace][sample] */
    float *work;         /* [trace][sample] */
    float *stack;        /* [sample] */
    float *peak;         /* one value */
    float *h_peak;       /* pinned */
    float *h_gather;     /* pinned */
    float *h_stack;      /* pinned */
    cudaError_t last;
};

struct chain {
    const char *name;
    int n_steps;
    struct step steps[MAX_STEPS];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
};

#define TRY(ctx, call)                                 \
    do {                                               \
        (ctx)->last = (call);                          \
        if ((ctx)->last != cudaSuccess) {              \
            rc = SEIS_ECUDA;                           \
            goto done;                                 \
        }                                              \
    } while (0)

/* ------------------------------------------------------------------------------------------------------- kernels */

__global__ void k_nmo(const float *in, float *out, float shift_per_trace)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    int t = blockIdx.y;
    int src = s + (int)(shift_per_trace * t);
    out[t * N_SAMPLES + s] = src < N_SAMPLES ? in[t * N_SAMPLES + src] : 0.0f;
}

__global__ void k_mute(float *data, int first, int last)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= first && s < last) data[blockIdx.y * N_SAMPLES + s] = 0.0f;
}

__global__ void k_peak(const float *data, float *peak)
{
    __shared__ float m[256];
    float v = 0.0f;
    for (int i = threadIdx.x; i < N_TRACES * N_SAMPLES; i += blockDim.x) v = fmaxf(v, fabsf(data[i]));
    m[threadIdx.x] = v;
    __syncthreads();
    for (int h = 128; h > 0; h >>= 1) {
        if (threadIdx.x < h) m[threadIdx.x] = fmaxf(m[threadIdx.x], m[threadIdx.x + h]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *peak = m[0];
}

__global__ void k_scale(float *data, float factor)
{
    data[blockIdx.y * N_SAMPLES + blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

__global__ void k_stack(const float *data, float *stack)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < N_TRACES; ++t) sum += data[t * N_SAMPLES + s];
    stack[s] = sum / N_TRACES;
}

/* --------------------------------------------------------------------------------------------------------- steps */

static const dim3 TRACE_GRID(N_SAMPLES / 256, N_TRACES);

static int nmo_record(struct seis_ctx *c, const struct step *s)
{
    if (s->a < 0.0f) return SEIS_EPARAM;
    k_nmo<<<TRACE_GRID, 256, 0, c->stream>>>(c->gather, c->work, s->a);
    return SEIS_OK;
}

static int mute_record(struct seis_ctx *c, const struct step *s)
{
    if (s->a < 0.0f || s->b > (float)N_SAMPLES || s->a >= s->b) return SEIS_EPARAM;
    k_mute<<<TRACE_GRID, 256, 0, c->stream>>>(c->work, (int)s->a, (int)s->b);
    return SEIS_OK;
}

static int agc_record(struct seis_ctx *c, const struct step *s)
{
    int rc = SEIS_OK;
    k_peak<<<1, 256, 0, c->stream>>>(c->work, c->peak);
    TRY(c, cudaMemcpyAsync(c->h_peak, c->peak, sizeof(float), cudaMemcpyDeviceToHost, c->stream));
    TRY(c, cudaStreamSynchronize(c->stream)); // HAZARD refused
    k_scale<<<TRACE_GRID, 256, 0, c->stream>>>(c->work, *c->h_peak > 0.0f ? s->a / *c->h_peak : 1.0f);
done:
    return rc;
}

static int stack_record(struct seis_ctx *c, const struct step *s)
{
    (void)s;
    k_stack<<<N_SAMPLES / 256, 256, 0, c->stream>>>(c->work, c->stack);
    return SEIS_OK;
}

static const struct {
    const char *name;
    int (*record)(struct seis_ctx *, const struct step *);
} STEP_TABLE[] = {
    {"nmo", nmo_record},
    {"mute", mute_record},
    {"agc", agc_record},
    {"stack", stack_record},
};

/* -------------------------------------------------------------------------------------------------------- chains */

static int chain_build(struct seis_ctx *c, struct chain *ch)
{
    int rc = SEIS_OK, i;

    TRY(c, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
    TRY(c, cudaMemcpyAsync(c->gather, c->h_gather, sizeof(float) * N_TRACES * N_SAMPLES, cudaMemcpyHostToDevice, c->stream));
    for (i = 0; i < ch->n_steps; ++i) {
        rc = STEP_TABLE[ch->steps[i].kind].record(c, &ch->steps[i]);
        if (rc != SEIS_OK) {
            fprintf(stderr, "%s: step %d (%s) rejected\n", ch->name, i, STEP_TABLE[ch->steps[i].kind].name);
            goto done; // HAZARD scope
        }
    }
    TRY(c, cudaMemcpyAsync(c->h_stack, c->stack, sizeof(float) * N_SAMPLES, cudaMemcpyDeviceToHost, c->stream));
    TRY(c, cudaStreamEndCapture(c->stream, &ch->graph));
    TRY(c, cudaGraphInstantiate(&ch->exec, ch->graph, 0));
done:
    if (rc != SEIS_OK && ch->graph) {
        cudaGraphDestroy(ch->graph);
        ch->graph = NULL;
    }
    return rc;
}

static int chain_run(struct seis_ctx *c, struct chain *ch, const float *gather)
{
    int rc = SEIS_OK;
    memcpy(c->h_gather, gather, sizeof(float) * N_TRACES * N_SAMPLES);
    TRY(c, cudaGraphLaunch(ch->exec, c->stream));
    TRY(c, cudaStreamSynchronize(c->stream));
done:
    return rc;
}

static void chain_free(struct chain *ch)
{
    if (ch->exec) cudaGraphExecDestroy(ch->exec);
    if (ch->graph) cudaGraphDestroy(ch->graph);
    ch->exec = NULL;
    ch->graph = NULL;
}

static int ctx_open(struct seis_ctx *c)
{
    int rc = SEIS_OK;
    const size_t bytes = sizeof(float) * N_TRACES * N_SAMPLES;
    memset(c, 0, sizeof *c);
    TRY(c, cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking));
    TRY(c, cudaMalloc(&c->gather, bytes));
    TRY(c, cudaMalloc(&c->work, bytes));
    TRY(c, cudaMalloc(&c->stack, sizeof(float) * N_SAMPLES));
    TRY(c, cudaMalloc(&c->peak, sizeof(float)));
    TRY(c, cudaMallocHost(&c->h_peak, sizeof(float)));
    TRY(c, cudaMallocHost(&c->h_gather, bytes));
    TRY(c, cudaMallocHost(&c->h_stack, sizeof(float) * N_SAMPLES));
    memset(c->h_gather, 0, bytes);
    *c->h_peak = 0.0f;
done:
    return rc;
}

/* -------------------------------------------------------------------------------------------------------- driver */

static void fill_gather(float *g, int shot)
{
    for (int t = 0; t < N_TRACES; ++t)
        for (int s = 0; s < N_SAMPLES; ++s) g[t * N_SAMPLES + s] = (float)((t * 13 + s * 7 + shot * 29) % 101) - 50.0f;
}

static int stack_matches(const float *g, const float *got, float shift, int first, int last)
{
    for (int s = 0; s < N_SAMPLES; ++s) {
        float sum = 0.0f;
        for (int t = 0; t < N_TRACES; ++t) {
            int src = s + (int)(shift * t);
            if (src < N_SAMPLES && !(s >= first && s < last)) sum += g[t * N_SAMPLES + src];
        }
        if (fabsf(sum / N_TRACES - got[s]) > 1e-3f) return 0;
    }
    return 1;
}

int main(void)
{
    struct seis_ctx ctx;
    struct chain brute = {"brute", 3, {{STEP_NMO, 2.0f, 0}, {STEP_MUTE, 0, 100.0f}, {STEP_STACK, 0, 0}}, NULL, NULL};
    struct chain level = {"level", 3, {{STEP_NMO, 2.0f, 0}, {STEP_AGC, 1.0f, 0}, {STEP_STACK, 0, 0}}, NULL, NULL};
    struct chain plain = {"plain", 2, {{STEP_NMO, 1.0f, 0}, {STEP_STACK, 0, 0}}, NULL, NULL};
    float *shot = (float *)malloc(sizeof(float) * N_TRACES * N_SAMPLES);
    int right = 0, rc_level = 0, rc_plain = 0, shown = 0;
    cudaError_t e_level = cudaSuccess, e_plain = cudaSuccess;

    if (!shot || ctx_open(&ctx) != SEIS_OK || chain_build(&ctx, &brute) != SEIS_OK) goto report;
    for (int i = 0; i < 3; ++i) {
        fill_gather(shot, i);
        if (chain_run(&ctx, &brute, shot) == SEIS_OK) right += stack_matches(shot, ctx.h_stack, 2.0f, 0, 100);
    }
    rc_level = chain_build(&ctx, &level);
    e_level = ctx.last;
    rc_plain = chain_build(&ctx, &plain);
    e_plain = ctx.last;
    printf("brute: %d of 3 right; level: rc %d (%s); plain: rc %d (%s)\n", right, rc_level, cudaGetErrorName(e_level),
           rc_plain, cudaGetErrorName(e_plain));
    shown = right == 3 && rc_level == SEIS_ECUDA && e_level == cudaErrorStreamCaptureUnsupported &&
            rc_plain == SEIS_ECUDA && e_plain != cudaSuccess;
report:
    chain_free(&brute);
    chain_free(&level);
    chain_free(&plain);
    free(shot);
    puts(shown ? "LABEL CONFIRMED" : "LABEL WRONG");
    return shown ? 0 : 1;
}
