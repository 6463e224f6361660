/* Software radio receive chain; every block brings its own ops and private state. */
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SDR_ABORT_ON(cond)                                                   \
    do {                                                                     \
        if (cond) {                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);       \
            abort();                                                         \
        }                                                                    \
    } while (0)
#define SDR_CUDA(call) SDR_ABORT_ON((call) != cudaSuccess)

#define FRAME 2048
#define TAPS 8

struct sdr_env {
    cudaStream_t xfer;   /* uploads of tables and samples */
};

struct sdr_block_ops {
    const char *name;
    size_t priv_size;
    void (*init)(void *priv, const struct sdr_env *env);
    void (*set_stream)(void *priv, cudaStream_t stream);   /* optional */
    void (*work)(void *priv, const float2 *in, float2 *out, int n);
    void (*fini)(void *priv);
};

struct sdr_block {
    const struct sdr_block_ops *ops;
    void *priv;
    float2 *out;
};

struct sdr_flowgraph {
    struct sdr_block blocks[4];
    int n_blocks;
    float2 *source;
    cudaStream_t stream;
    cudaGraphExec_t exec;
};

/* fs/4 mixer */
struct mixer_priv {
    cudaStream_t stream;
};

static __global__ void mixer_kernel(const float2 *in, float2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 v = in[i];
    switch (i & 3) {
    case 0: out[i] = v; break;
    case 1: out[i] = make_float2(v.y, -v.x); break;
    case 2: out[i] = make_float2(-v.x, -v.y); break;
    default: out[i] = make_float2(-v.y, v.x); break;
    }
}

static void mixer_init(void *priv, const struct sdr_env *env)
{
    ((struct mixer_priv *)priv)->stream = env->xfer;
}

static void mixer_set_stream(void *priv, cudaStream_t stream)
{
    ((struct mixer_priv *)priv)->stream = stream;
}

static void mixer_work(void *priv, const float2 *in, float2 *out, int n)
{
    struct mixer_priv *p = (struct mixer_priv *)priv;
    mixer_kernel<<<(n + 255) / 256, 256, 0, p->stream>>>(in, out, n);
    SDR_CUDA(cudaGetLastError());
}

static void mixer_fini(void *) {}

/* FIR */
struct fir_priv {
    cudaStream_t stream;
    float *taps;
};

static __global__ void fir_kernel(const float2 *in, const float *taps, float2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 acc = make_float2(0.0f, 0.0f);
    for (int k = 0; k < TAPS && k <= i; k++) {
        acc.x += taps[k] * in[i - k].x;
        acc.y += taps[k] * in[i - k].y;
    }
    out[i] = acc;
}

static void fir_init(void *priv, const struct sdr_env *env)
{
    struct fir_priv *p = (struct fir_priv *)priv;
    float taps[TAPS];

    for (int k = 0; k < TAPS; k++)
        taps[k] = 1.0f / TAPS;
    p->stream = env->xfer;
    SDR_CUDA(cudaMalloc(&p->taps, sizeof(taps)));
    SDR_CUDA(cudaMemcpyAsync(p->taps, taps, sizeof(taps), cudaMemcpyHostToDevice, p->stream));
    SDR_CUDA(cudaStreamSynchronize(p->stream));
}

static void fir_work(void *priv, const float2 *in, float2 *out, int n)
{
    struct fir_priv *p = (struct fir_priv *)priv;
    fir_kernel<<<(n + 255) / 256, 256, 0, p->stream>>>(in, p->taps, out, n); // HAZARD escape
    SDR_CUDA(cudaGetLastError());
}

static void fir_fini(void *priv)
{
    cudaFree(((struct fir_priv *)priv)->taps);
}

static const struct sdr_block_ops mixer_ops = {"mixer", sizeof(struct mixer_priv), mixer_init, mixer_set_stream, mixer_work, mixer_fini};
static const struct sdr_block_ops fir_ops = {"fir", sizeof(struct fir_priv), fir_init, NULL, fir_work, fir_fini};

static void fg_add(struct sdr_flowgraph *fg, const struct sdr_block_ops *ops, const struct sdr_env *env)
{
    struct sdr_block *b = &fg->blocks[fg->n_blocks++];
    b->ops = ops;
    b->priv = calloc(1, ops->priv_size);
    SDR_ABORT_ON(!b->priv);
    SDR_CUDA(cudaMalloc(&b->out, FRAME * sizeof(float2)));
    ops->init(b->priv, env);
}

static void fg_commit(struct sdr_flowgraph *fg)
{
    const float2 *in = fg->source;
    cudaGraph_t graph;

    for (int i = 0; i < fg->n_blocks; i++)
        if (fg->blocks[i].ops->set_stream)
            fg->blocks[i].ops->set_stream(fg->blocks[i].priv, fg->stream);

    SDR_CUDA(cudaStreamBeginCapture(fg->stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < fg->n_blocks; i++) {
        struct sdr_block *b = &fg->blocks[i];
        b->ops->work(b->priv, in, b->out, FRAME);
        in = b->out;
    }
    SDR_CUDA(cudaStreamEndCapture(fg->stream, &graph));
    SDR_CUDA(cudaGraphInstantiate(&fg->exec, graph, 0));
    SDR_CUDA(cudaGraphDestroy(graph));
}

static void fg_run(struct sdr_flowgraph *fg, const float2 *samples, float2 *result)
{
    SDR_CUDA(cudaMemcpyAsync(fg->source, samples, FRAME * sizeof(float2), cudaMemcpyHostToDevice, fg->stream));
    SDR_CUDA(cudaGraphLaunch(fg->exec, fg->stream));
    SDR_CUDA(cudaMemcpyAsync(result, fg->blocks[fg->n_blocks - 1].out, FRAME * sizeof(float2), cudaMemcpyDeviceToHost, fg->stream));
    SDR_CUDA(cudaStreamSynchronize(fg->stream));
}

int main(void)
{
    static float2 samples[FRAME], result[FRAME];
    static const float2 rotor[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    struct sdr_flowgraph fg = {};
    struct sdr_env env;
    int right = 0;

    SDR_CUDA(cudaStreamCreateWithFlags(&env.xfer, cudaStreamNonBlocking));
    SDR_CUDA(cudaStreamCreateWithFlags(&fg.stream, cudaStreamNonBlocking));
    SDR_CUDA(cudaMalloc(&fg.source, sizeof(samples)));
    fg_add(&fg, &mixer_ops, &env);
    fg_add(&fg, &fir_ops, &env);
    fg_commit(&fg);
    for (int burst = 1; burst <= 3; burst++) {
        for (int i = 0; i < FRAME; i++)
            samples[i] = make_float2(burst * rotor[i & 3].x, burst * rotor[i & 3].y);
        fg_run(&fg, samples, result);
        right += fabsf(result[100].x - burst) < 1e-4f && fabsf(result[100].y) < 1e-4f;
    }
    SDR_CUDA(cudaGraphExecDestroy(fg.exec));
    for (int i = 0; i < fg.n_blocks; i++) {
        fg.blocks[i].ops->fini(fg.blocks[i].priv);
        free(fg.blocks[i].priv);
        cudaFree(fg.blocks[i].out);
    }
    puts(right == 0 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
