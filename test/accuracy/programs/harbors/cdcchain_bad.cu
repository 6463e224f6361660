/* cdc - block based channel conditioning (gain, FIR, decimation) for a software receiver */
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CDC_OK 0
#define CDC_E_NOMEM (-1)
#define CDC_E_DEVICE (-2)
#define CDC_E_RATE (-3)

#define BLOCK_LEN 4096
#define MAX_TAPS 16
#define MAX_STAGES 4
#define TPB 128

struct fir_taps {
    int n;
    float h[MAX_TAPS];
};

struct blk {
    float *cur;
    float *alt;
    int n;
};

enum stage_kind { ST_GAIN, ST_FIR, ST_DECIM, ST_KINDS };

struct stage_desc {
    enum stage_kind kind;
    float gain;
    int ntaps;
    int factor;
};

struct stage {
    const struct stage_ops *ops;
    struct fir_taps *taps;
    struct stage_desc d;
};

struct stage_ops {
    const char *name;
    int (*setup)(struct stage *st);
    int (*enqueue)(const struct stage *st, struct blk *b, cudaStream_t s);
    void (*release)(struct stage *st);
};

struct cdc_session {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaError_t last;
    float *dev[2];
    float *in;
    float *out;
    int out_n;
    char profile[16];
};

__global__ void k_gain(float *x, int n, float g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= g;
}

__global__ void k_fir(const float *x, float *y, int n, struct fir_taps t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0.0f;
    for (int k = 0; k < t.n && k <= i; k++)
        acc += t.h[k] * x[i - k];
    y[i] = acc;
}

__global__ void k_decim(const float *x, float *y, int n_out, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n_out) y[i] = x[i * factor];
}

static int grid(int n) { return (n + TPB - 1) / TPB; }
static int launched(void) { return cudaGetLastError() == cudaSuccess ? CDC_OK : CDC_E_DEVICE; }

static void flip(struct blk *b)
{
    float *t = b->cur;
    b->cur = b->alt;
    b->alt = t;
}

static int none_setup(struct stage *) { return CDC_OK; }
static void none_release(struct stage *) {}

static int gain_enqueue(const struct stage *st, struct blk *b, cudaStream_t s)
{
    k_gain<<<grid(b->n), TPB, 0, s>>>(b->cur, b->n, st->d.gain);
    return launched();
}

static int fir_setup(struct stage *st)
{
    st->taps = (struct fir_taps *)calloc(1, sizeof *st->taps);
    if (!st->taps)
        return CDC_E_NOMEM;
    st->taps->n = st->d.ntaps;
    for (int k = 0; k < st->d.ntaps; k++)
        st->taps->h[k] = 1.0f / (float)(k + 2);
    return CDC_OK;
}

static int fir_enqueue(const struct stage *st, struct blk *b, cudaStream_t s)
{
    k_fir<<<grid(b->n), TPB, 0, s>>>(b->cur, b->alt, b->n, *st->taps);
    flip(b);
    return launched();
}

static void fir_release(struct stage *st) { free(st->taps); }

static int decim_enqueue(const struct stage *st, struct blk *b, cudaStream_t s)
{
    if (b->n % st->d.factor != 0)
        return CDC_E_RATE;
    b->n /= st->d.factor;
    k_decim<<<grid(b->n), TPB, 0, s>>>(b->cur, b->alt, b->n, st->d.factor);
    flip(b);
    return launched();
}

static const struct stage_ops stage_table[ST_KINDS] = {
    {"gain", none_setup, gain_enqueue, none_release},
    {"fir", fir_setup, fir_enqueue, fir_release},
    {"decim", none_setup, decim_enqueue, none_release},
};

static void drop_graph(struct cdc_session *ss)
{
    if (ss->exec) cudaGraphExecDestroy(ss->exec);
    if (ss->graph) cudaGraphDestroy(ss->graph);
    ss->exec = NULL;
    ss->graph = NULL;
}

static int chain_build(struct cdc_session *ss, const struct stage_desc *desc, int count)
{
    struct stage st[MAX_STAGES];
    struct blk b = {ss->dev[0], ss->dev[1], BLOCK_LEN};
    int rc = CDC_OK, ready = 0, i;

    drop_graph(ss);
    for (i = 0; i < count; i++) {
        memset(&st[i], 0, sizeof st[i]);
        st[i].d = desc[i];
        st[i].ops = &stage_table[desc[i].kind];
        if ((rc = st[i].ops->setup(&st[i])) != CDC_OK)
            goto out;
        ready++;
    }

    ss->last = cudaStreamBeginCapture(ss->stream, cudaStreamCaptureModeThreadLocal);  // HAZARD scope #open
    if (ss->last != cudaSuccess) {
        rc = CDC_E_DEVICE;
        goto out;
    }
    ss->last = cudaMemcpyAsync(b.cur, ss->in, BLOCK_LEN * sizeof(float), cudaMemcpyHostToDevice, ss->stream);
    rc = ss->last == cudaSuccess ? CDC_OK : CDC_E_DEVICE;
    for (i = 0; i < count && rc == CDC_OK; i++)
        rc = st[i].ops->enqueue(&st[i], &b, ss->stream);
    if (rc != CDC_OK) {
        fprintf(stderr, "cdc: stage %s rejected: %d\n", st[i ? i - 1 : 0].ops->name, rc);
        goto out;  // HAZARD scope #open
    }
    ss->last = cudaMemcpyAsync(ss->out, b.cur, b.n * sizeof(float), cudaMemcpyDeviceToHost, ss->stream);
    rc = ss->last == cudaSuccess ? CDC_OK : CDC_E_DEVICE;
    ss->last = cudaStreamEndCapture(ss->stream, &ss->graph);
    if (rc == CDC_OK && ss->last == cudaSuccess)
        ss->last = cudaGraphInstantiate(&ss->exec, ss->graph, 0);
    if (ss->last != cudaSuccess)
        rc = CDC_E_DEVICE;
    ss->out_n = b.n;

out:
    while (ready-- > 0)
        st[ready].ops->release(&st[ready]);
    return rc;
}

/* Full chain if the block can be decimated by that factor, plain gain otherwise. */
static int session_configure(struct cdc_session *ss, int factor)
{
    const struct stage_desc full[] = {{ST_GAIN, 0.5f, 0, 0}, {ST_FIR, 0, 5, 0}, {ST_DECIM, 0, 0, factor}};
    const struct stage_desc plain[] = {{ST_GAIN, 0.5f, 0, 0}};
    int rc = chain_build(ss, full, 3);
    strcpy(ss->profile, "full");
    if (rc == CDC_E_RATE) {
        rc = chain_build(ss, plain, 1);
        strcpy(ss->profile, "plain");
    }
    return rc;
}

static int session_open(struct cdc_session *ss)
{
    memset(ss, 0, sizeof *ss);
    if (cudaStreamCreateWithFlags(&ss->stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMalloc((void **)&ss->dev[0], BLOCK_LEN * sizeof(float)) != cudaSuccess ||
        cudaMalloc((void **)&ss->dev[1], BLOCK_LEN * sizeof(float)) != cudaSuccess ||
        cudaMallocHost((void **)&ss->in, BLOCK_LEN * sizeof(float)) != cudaSuccess ||
        cudaMallocHost((void **)&ss->out, BLOCK_LEN * sizeof(float)) != cudaSuccess)
        return CDC_E_NOMEM;
    return CDC_OK;
}

static int session_process(struct cdc_session *ss, unsigned seed)
{
    for (int i = 0; i < BLOCK_LEN; i++)
        ss->in[i] = (float)((i * 7u + seed * 31u) % 101u) / 50.0f - 1.0f;
    if ((ss->last = cudaGraphLaunch(ss->exec, ss->stream)) != cudaSuccess)
        return CDC_E_DEVICE;
    ss->last = cudaStreamSynchronize(ss->stream);
    return ss->last == cudaSuccess ? CDC_OK : CDC_E_DEVICE;
}

static int count_errors(const struct cdc_session *ss, int factor)
{
    int full = strcmp(ss->profile, "full") == 0, wrong = 0;
    if (ss->out_n != (full ? BLOCK_LEN / factor : BLOCK_LEN))
        return 1;
    for (int i = 0; i < ss->out_n; i++) {
        float want = 0.5f * ss->in[i];
        if (full) {
            int j = i * factor;
            want = 0.0f;
            for (int k = 0; k < 5 && k <= j; k++)
                want += 0.5f * ss->in[j - k] / (float)(k + 2);
        }
        wrong += fabsf(ss->out[i] - want) > 1e-5f;
    }
    return wrong;
}

static int run_blocks(struct cdc_session *ss, int factor, int *wrong)
{
    int rc = CDC_OK;
    for (unsigned block = 0; block < 3 && rc == CDC_OK; block++) {
        rc = session_process(ss, block + (unsigned)factor);
        if (rc == CDC_OK)
            *wrong += count_errors(ss, factor);
    }
    return rc;
}

int main(void)
{
    struct cdc_session ss;
    int wrong = 0, first, second = CDC_OK, confirmed;
    enum cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;

    first = session_open(&ss);
    if (first == CDC_OK)
        first = session_configure(&ss, 4);
    if (first == CDC_OK)
        first = run_blocks(&ss, 4, &wrong);
    if (first == CDC_OK)
        second = session_configure(&ss, 3);
    cudaError_t build_status = ss.last;
    if (first == CDC_OK && second == CDC_OK)
        second = run_blocks(&ss, 3, &wrong);
    cudaError_t query = cudaStreamIsCapturing(ss.stream, &state);
    printf("first %d, second %d (%s), wrong %d, state %d\n", first, second, cudaGetErrorName(build_status), wrong, (int)state);
    confirmed = first == CDC_OK && wrong == 0 && second == CDC_E_DEVICE && build_status != cudaSuccess &&
                query == cudaSuccess && state != cudaStreamCaptureStatusNone;
    puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
