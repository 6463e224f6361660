/* CUDA path of a small audio filter graph: volume -> softclip */
#include <cuda_runtime.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CU_CHECK(call)                                                                  \
    do {                                                                                \
        cudaError_t err_ = (call);                                                      \
        if (err_ != cudaSuccess) {                                                      \
            fprintf(stderr, "[af] %s: %s\n", #call, cudaGetErrorString(err_));          \
            ret = -EIO;                                                                 \
            goto end;                                                                   \
        }                                                                               \
    } while (0)

typedef struct FilterContext FilterContext;
typedef struct Filter {
    const char *name;
    size_t priv_size;
    int (*init)(FilterContext *ctx, double arg);
    int (*filter_frame)(FilterContext *ctx, float *samples, int nb_samples);
    int (*process_command)(FilterContext *ctx, const char *cmd, const char *arg);
    void (*uninit)(FilterContext *ctx);
} Filter;

struct FilterContext {
    const Filter *filter;
    void *priv;
    cudaStream_t stream;
    FilterContext *next;
};

typedef struct FilterGraph {
    FilterContext *head;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    float *samples;
    int nb_samples;
} FilterGraph;

typedef struct VolumeParams {
    float volume;
    float balance;
} VolumeParams;

typedef struct VolumeContext {
    VolumeParams params;
    VolumeParams *dev_params;
} VolumeContext;

__global__ void volume_kernel(float *s, int n, const VolumeParams *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        s[i] *= p->volume * ((i & 1) ? 1.0f + p->balance : 1.0f - p->balance);
}

static int volume_upload(FilterContext *ctx)
{
    VolumeContext *s = (VolumeContext *)ctx->priv;
    int ret = 0;
    CU_CHECK(cudaMemcpyAsync(s->dev_params, &s->params, sizeof(s->params), cudaMemcpyHostToDevice, ctx->stream));
end:
    return ret;
}

static int volume_init(FilterContext *ctx, double arg)
{
    VolumeContext *s = (VolumeContext *)ctx->priv;
    int ret = 0;
    s->params.volume = (float)arg;
    s->params.balance = 0.0f;
    CU_CHECK(cudaMalloc(&s->dev_params, sizeof(*s->dev_params)));
    ret = volume_upload(ctx);
end:
    return ret;
}

static int volume_filter_frame(FilterContext *ctx, float *samples, int nb_samples)
{
    VolumeContext *s = (VolumeContext *)ctx->priv;
    int ret = 0;
    volume_kernel<<<(nb_samples + 127) / 128, 128, 0, ctx->stream>>>(samples, nb_samples, s->dev_params);
    CU_CHECK(cudaGetLastError());
end:
    return ret;
}

static int volume_process_command(FilterContext *ctx, const char *cmd, const char *arg)
{
    VolumeContext *s = (VolumeContext *)ctx->priv;
    if (!strcmp(cmd, "volume"))
        s->params.volume = strtof(arg, NULL);
    else if (!strcmp(cmd, "balance"))
        s->params.balance = strtof(arg, NULL);
    else
        return -ENOSYS;
    return volume_upload(ctx);
}

static void volume_uninit(FilterContext *ctx)
{
    cudaFree(((VolumeContext *)ctx->priv)->dev_params);
}

typedef struct SoftclipContext {
    float threshold; /* init only, no runtime command */
} SoftclipContext;

__global__ void softclip_kernel(float *s, int n, float threshold)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && fabsf(s[i]) > threshold)
        s[i] = copysignf(threshold + (1.0f - threshold) * tanhf((fabsf(s[i]) - threshold) / (1.0f - threshold)), s[i]);
}

static int softclip_init(FilterContext *ctx, double arg)
{
    ((SoftclipContext *)ctx->priv)->threshold = (float)arg;
    return 0;
}

static int softclip_filter_frame(FilterContext *ctx, float *samples, int nb_samples)
{
    const SoftclipContext *s = (const SoftclipContext *)ctx->priv;
    int ret = 0;
    softclip_kernel<<<(nb_samples + 127) / 128, 128, 0, ctx->stream>>>(samples, nb_samples, s->threshold);
    CU_CHECK(cudaGetLastError());
end:
    return ret;
}

static const Filter af_volume = {"volume", sizeof(VolumeContext), volume_init, volume_filter_frame, volume_process_command, volume_uninit};
static const Filter af_softclip = {"softclip", sizeof(SoftclipContext), softclip_init, softclip_filter_frame, NULL, NULL};
static int graph_add(FilterGraph *fg, FilterContext *ctx, const Filter *f, double arg)
{
    FilterContext **p = &fg->head;
    ctx->filter = f;
    ctx->stream = fg->stream;
    ctx->next = NULL;
    if (!(ctx->priv = calloc(1, f->priv_size)))
        return -ENOMEM;
    while (*p)
        p = &(*p)->next;
    *p = ctx;
    return f->init(ctx, arg);
}

static int graph_config(FilterGraph *fg)
{
    cudaGraph_t graph = NULL;
    cudaError_t err;
    int ret = 0;

    CU_CHECK(cudaStreamBeginCapture(fg->stream, cudaStreamCaptureModeThreadLocal));
    for (FilterContext *c = fg->head; c && ret >= 0; c = c->next)
        ret = c->filter->filter_frame(c, fg->samples, fg->nb_samples);
    err = cudaStreamEndCapture(fg->stream, &graph);
    if (ret < 0)
        goto end;
    CU_CHECK(err);
    CU_CHECK(cudaGraphInstantiate(&fg->exec, graph, 0));
end:
    if (graph)
        cudaGraphDestroy(graph);
    return ret;
}

static int graph_run(FilterGraph *fg, const float *in, float *out)
{
    size_t size = fg->nb_samples * sizeof(float);
    int ret = 0;
    CU_CHECK(cudaMemcpyAsync(fg->samples, in, size, cudaMemcpyHostToDevice, fg->stream));
    CU_CHECK(cudaGraphLaunch(fg->exec, fg->stream));
    CU_CHECK(cudaMemcpyAsync(out, fg->samples, size, cudaMemcpyDeviceToHost, fg->stream));
    CU_CHECK(cudaStreamSynchronize(fg->stream));
end:
    return ret;
}

int main(void)
{
    static float in[512], out[512];
    static FilterContext vol, clip;
    FilterGraph fg = {};
    int ret = 0, good = 0;

    for (int i = 0; i < 512; i++)
        in[i] = 0.5f * sinf(i * 0.1f);
    fg.nb_samples = 512;
    CU_CHECK(cudaStreamCreateWithFlags(&fg.stream, cudaStreamNonBlocking));
    CU_CHECK(cudaMalloc(&fg.samples, sizeof(in)));
    if ((ret = graph_add(&fg, &vol, &af_volume, 1.0)) < 0 || (ret = graph_add(&fg, &clip, &af_softclip, 0.9)) < 0 ||
        (ret = graph_config(&fg)) < 0)
        goto end;

    if ((ret = graph_run(&fg, in, out)) < 0)
        goto end;
    good = fabsf(out[16] - in[16]) < 1e-5f;
    if ((ret = vol.filter->process_command(&vol, "volume", "0.25")) < 0 || (ret = graph_run(&fg, in, out)) < 0)
        goto end;
    good += fabsf(out[16] - 0.25f * in[16]) < 1e-5f;
    if ((ret = vol.filter->process_command(&vol, "balance", "0.5")) < 0 || (ret = graph_run(&fg, in, out)) < 0)
        goto end;
    good += fabsf(out[16] - 0.125f * in[16]) < 1e-5f;
end:
    if (fg.exec)
        cudaGraphExecDestroy(fg.exec);
    for (FilterContext *c = fg.head; c; c = c->next) {
        if (c->filter->uninit)
            c->filter->uninit(c);
        free(c->priv);
    }
    cudaFree(fg.samples);
    puts(ret == 0 && good == 3 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
