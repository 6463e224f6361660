// Shot gather processing: every shot plan is a short list of stages that is recorded once and replayed per shot.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NTRACE 32
#define NSAMP 128
#define SLAB_ELEMS (NTRACE * NSAMP)
#define SLAB_COUNT 10
#define MAX_STAGES 8
#define MAX_TEMPS 4

#define TRY(call)                                                                                   \
    do {                                                                                            \
        cudaError_t e_ = (call);                                                                    \
        if (e_ != cudaSuccess) {                                                                    \
            fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));   \
            return -1;                                                                              \
        }                                                                                           \
    } while (0)

/* ---- slab pool ------------------------------------------------------------------------------ */

typedef struct slab_pool {
    float *base;
    int free_stack[SLAB_COUNT];
    int nfree;
} slab_pool;

static int pool_open(slab_pool *p)
{
    TRY(cudaMalloc((void **)&p->base, sizeof(float) * SLAB_ELEMS * SLAB_COUNT));
    p->nfree = 0;
    for (int i = SLAB_COUNT - 1; i >= 0; --i) p->free_stack[p->nfree++] = i;
    return 0;
}

static float *pool_take(slab_pool *p)
{
    if (p->nfree == 0) return NULL;
    return p->base + (size_t)p->free_stack[--p->nfree] * SLAB_ELEMS;
}

static void pool_give(slab_pool *p, float *slab)
{
    p->free_stack[p->nfree++] = (int)((slab - p->base) / SLAB_ELEMS);
}

static void pool_close(slab_pool *p) { cudaFree(p->base); }

/* ---- kernels: one block per trace, one thread per sample ------------------------------------- */

__global__ void k_demean(float *t)
{
    __shared__ float acc[NSAMP];
    float v = t[blockIdx.x * NSAMP + threadIdx.x];
    acc[threadIdx.x] = v;
    __syncthreads();
    for (int w = NSAMP / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) acc[threadIdx.x] += acc[threadIdx.x + w];
        __syncthreads();
    }
    t[blockIdx.x * NSAMP + threadIdx.x] = v - acc[0] / NSAMP;
}

__global__ void k_taper(float *t, const float *coef) { t[blockIdx.x * NSAMP + threadIdx.x] *= coef[threadIdx.x]; }

typedef struct shot_params {
    float gain;
    int pad[3];
} shot_params;

__global__ void k_gain(float *t, const shot_params *prm, float trim)
{
    t[blockIdx.x * NSAMP + threadIdx.x] *= prm->gain * trim;
}

__global__ void k_normalise(float *coef, float *tmp)
{
    tmp[threadIdx.x] = coef[threadIdx.x];
    __syncthreads();
    float peak = 0.f;
    for (int i = 0; i < NSAMP; ++i) peak = fmaxf(peak, tmp[i]);
    coef[threadIdx.x] = tmp[threadIdx.x] / peak;
}

__global__ void k_stack(const float *t, float *out)
{
    float s = 0.f;
    for (int i = 0; i < NTRACE; ++i) s += t[i * NSAMP + threadIdx.x];
    out[threadIdx.x] = s / NTRACE;
}

/* ---- plans and stages ------------------------------------------------------------------------ */

struct shot_plan;

typedef struct stage {
    const char *name;
    int (*prepare)(struct shot_plan *, struct stage *);
    int (*record)(struct shot_plan *, const struct stage *);
    float param;
    float *table;
} stage;

typedef struct shot_plan {
    slab_pool *pool;
    cudaStream_t stream;
    float *work, *stacked;
    float *raw_host, *out_host;
    shot_params *params_host, *params_dev;
    stage stages[MAX_STAGES];
    int nstages;
    float *temps[MAX_TEMPS];
    int ntemps;
    cudaGraphExec_t exec;
} shot_plan;

static float *plan_temp(shot_plan *p)
{
    float *s = p->ntemps < MAX_TEMPS ? pool_take(p->pool) : NULL;
    if (s) p->temps[p->ntemps++] = s;
    return s;
}

static void plan_release_temps(shot_plan *p)
{
    while (p->ntemps > 0) pool_give(p->pool, p->temps[--p->ntemps]);
}

static void cosine_taper(float width, float *coef)
{
    for (int i = 0; i < NSAMP; ++i) {
        float edge = fminf((float)i, (float)(NSAMP - 1 - i));
        coef[i] = edge >= width ? 1.f : 0.5f - 0.5f * cosf(3.14159265f * edge / width);
    }
}

static int prepare_taper(shot_plan *p, stage *s)
{
    float coef[NSAMP];
    s->table = plan_temp(p);
    if (!s->table) return -1;
    cosine_taper(s->param, coef);
    TRY(cudaMemcpyAsync(s->table, coef, sizeof coef, cudaMemcpyHostToDevice, p->stream));

    float *tmp = pool_take(p->pool);
    if (!tmp) return -1;
    k_normalise<<<1, NSAMP, 0, p->stream>>>(s->table, tmp);
    TRY(cudaStreamSynchronize(p->stream));
    pool_give(p->pool, tmp);
    return 0;
}

static int record_demean(shot_plan *p, const stage *)
{
    k_demean<<<NTRACE, NSAMP, 0, p->stream>>>(p->work);
    return 0;
}

static int record_taper(shot_plan *p, const stage *s)
{
    k_taper<<<NTRACE, NSAMP, 0, p->stream>>>(p->work, s->table);
    return 0;
}

static int record_gain(shot_plan *p, const stage *s)
{
    k_gain<<<NTRACE, NSAMP, 0, p->stream>>>(p->work, p->params_dev, s->param);
    return 0;
}

static int record_stack(shot_plan *p, const stage *)
{
    k_stack<<<1, NSAMP, 0, p->stream>>>(p->work, p->stacked);
    return 0;
}

static const stage STAGE_DEMEAN = {"demean", NULL, record_demean, 0.f, NULL};
static const stage STAGE_TAPER = {"taper", prepare_taper, record_taper, 0.f, NULL};
static const stage STAGE_GAIN = {"gain", NULL, record_gain, 1.f, NULL};
static const stage STAGE_STACK = {"stack", NULL, record_stack, 0.f, NULL};

static int plan_open(shot_plan *p, slab_pool *pool)
{
    memset(p, 0, sizeof *p);
    p->pool = pool;
    p->work = pool_take(pool);
    p->stacked = pool_take(pool);
    p->params_dev = (shot_params *)pool_take(pool);
    if (!p->work || !p->stacked || !p->params_dev) return -1;
    TRY(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    TRY(cudaMallocHost((void **)&p->raw_host, sizeof(float) * SLAB_ELEMS));
    TRY(cudaMallocHost((void **)&p->out_host, sizeof(float) * NSAMP));
    TRY(cudaMallocHost((void **)&p->params_host, sizeof(shot_params)));
    p->params_host->gain = 1.f;
    return 0;
}

static void plan_add(shot_plan *p, stage s, float param)
{
    s.param = param;
    p->stages[p->nstages++] = s;
}

static int plan_record(shot_plan *p)
{
    TRY(cudaMemcpyAsync(p->work, p->raw_host, sizeof(float) * SLAB_ELEMS, cudaMemcpyHostToDevice, p->stream));
    TRY(cudaMemcpyAsync(p->params_dev, p->params_host, sizeof(shot_params), cudaMemcpyHostToDevice, p->stream));
    for (int i = 0; i < p->nstages; ++i)
        if (p->stages[i].record(p, &p->stages[i]) != 0) return -1;
    TRY(cudaMemcpyAsync(p->out_host, p->stacked, sizeof(float) * NSAMP, cudaMemcpyDeviceToHost, p->stream));
    return 0;
}

static int plan_build(shot_plan *p)
{
    cudaGraph_t graph = NULL;
    for (int i = 0; i < p->nstages; ++i) {
        stage *s = &p->stages[i];
        if (s->prepare && s->prepare(p, s) != 0) return -1;
    }
    TRY(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeThreadLocal));
    int rc = plan_record(p);
    TRY(cudaStreamEndCapture(p->stream, &graph));
    if (rc == 0) TRY(cudaGraphInstantiate(&p->exec, graph, 0));
    cudaGraphDestroy(graph);
    return rc;
}

static void plan_set_gain(shot_plan *p, float gain)
{
    p->params_host->gain = gain;
}

static int plan_shot(shot_plan *p, const float *raw)
{
    memcpy(p->raw_host, raw, sizeof(float) * SLAB_ELEMS);
    TRY(cudaGraphLaunch(p->exec, p->stream));
    TRY(cudaStreamSynchronize(p->stream));
    return 0;
}

static void plan_close(shot_plan *p)
{
    if (p->exec) cudaGraphExecDestroy(p->exec);
    plan_release_temps(p);
    pool_give(p->pool, p->work);
    pool_give(p->pool, p->stacked);
    pool_give(p->pool, (float *)p->params_dev);
    cudaFreeHost(p->params_host);
    cudaFreeHost(p->raw_host);
    cudaFreeHost(p->out_host);
    cudaStreamDestroy(p->stream);
}

/* ---- driver ---------------------------------------------------------------------------------- */

static void synth_shot(float *raw, int seed)
{
    for (int i = 0; i < SLAB_ELEMS; ++i)
        raw[i] = sinf(0.05f * (i % NSAMP) * (seed + 1)) + 0.01f * ((i * 37 + seed * 11) % 101);
}

static void reference(const float *raw, float width, float gain, float *out)
{
    float coef[NSAMP];
    cosine_taper(width, coef);
    memset(out, 0, sizeof(float) * NSAMP);
    for (int t = 0; t < NTRACE; ++t) {
        double mean = 0;
        for (int i = 0; i < NSAMP; ++i) mean += raw[t * NSAMP + i];
        mean /= NSAMP;
        for (int i = 0; i < NSAMP; ++i) out[i] += (float)(raw[t * NSAMP + i] - mean) * coef[i] * gain / NTRACE;
    }
}

static int matches(const float *got, const float *raw, float width, float gain)
{
    float want[NSAMP];
    reference(raw, width, gain, want);
    for (int i = 0; i < NSAMP; ++i)
        if (fabsf(got[i] - want[i]) > 1e-3f * (1.f + fabsf(want[i]))) return 0;
    return 1;
}

int main(void)
{
    static float shot[3][SLAB_ELEMS];
    slab_pool pool;
    shot_plan near_plan, far_plan;
    int ok = pool_open(&pool) == 0 && plan_open(&near_plan, &pool) == 0 && plan_open(&far_plan, &pool) == 0;
    for (int i = 0; i < 3; ++i) synth_shot(shot[i], i);

    shot_plan *plans[2] = {&near_plan, &far_plan};
    const float widths[2] = {12.f, 50.f};
    for (int i = 0; ok && i < 2; ++i) {
        plan_add(plans[i], STAGE_DEMEAN, 0.f);
        plan_add(plans[i], STAGE_TAPER, widths[i]);
        plan_add(plans[i], STAGE_GAIN, 1.f);
        plan_set_gain(plans[i], 2.f);
        plan_add(plans[i], STAGE_STACK, 0.f);
    }

    ok = ok && plan_build(&near_plan) == 0 && plan_shot(&near_plan, shot[0]) == 0;
    int first_right = ok && matches(near_plan.out_host, shot[0], 12.f, 2.f);
    ok = ok && plan_build(&far_plan) == 0 && plan_shot(&far_plan, shot[1]) == 0;
    int far_right = ok && matches(far_plan.out_host, shot[1], 50.f, 2.f);
    ok = ok && plan_shot(&near_plan, shot[1]) == 0;
    int second_right = ok && matches(near_plan.out_host, shot[1], 12.f, 2.f);
    plan_set_gain(&far_plan, 8.f);
    ok = ok && plan_shot(&far_plan, shot[2]) == 0;
    int gain_right = ok && matches(far_plan.out_host, shot[2], 50.f, 8.f);

    printf("runs %d first %d far %d second %d gain %d\n", ok, first_right, far_right, second_right, gain_right);
    plan_close(&near_plan);
    plan_close(&far_plan);
    pool_close(&pool);
    puts(ok && first_right && far_right && second_right && gain_right ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
