/* Runtime-configurable filter chain; the graph is refreshed with cudaGraphExecUpdate after each edit. Plain C style. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define FC_SAMPLES 1024
#define FC_MAX_STAGES 8

typedef enum fc_kind { FC_SCALE, FC_OFFSET } fc_kind;

typedef struct fc_stage {
    fc_kind kind;
    float value;
} fc_stage;

typedef struct fc_chain {
    fc_stage stages[FC_MAX_STAGES];
    int n_stages;
    int dirty;
    int updates;
    int rebuilds;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    float *d_src;
    float *d_dst;
} fc_chain;

__global__ void fc_copy(const float *src, float *dst) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < FC_SAMPLES) dst[i] = src[i];
}

__global__ void fc_scale(float *x, float k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < FC_SAMPLES) x[i] *= k;
}

__global__ void fc_offset(float *x, float k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < FC_SAMPLES) x[i] += k;
}

static void fc_free(fc_chain *fc) {
    if (!fc) return;
    if (fc->exec) cudaGraphExecDestroy(fc->exec);
    if (fc->stream) cudaStreamDestroy(fc->stream);
    cudaFree(fc->d_src);
    cudaFree(fc->d_dst);
    free(fc);
}

static fc_chain *fc_new(void) {
    fc_chain *fc = (fc_chain *)calloc(1, sizeof(fc_chain));
    if (!fc) return NULL;
    if (cudaStreamCreateWithFlags(&fc->stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMalloc((void **)&fc->d_src, FC_SAMPLES * sizeof(float)) != cudaSuccess ||
        cudaMalloc((void **)&fc->d_dst, FC_SAMPLES * sizeof(float)) != cudaSuccess) {
        fc_free(fc);
        return NULL;
    }
    return fc;
}

static int fc_add(fc_chain *fc, fc_kind kind, float value) {
    if (fc->n_stages == FC_MAX_STAGES) return -1;
    fc->stages[fc->n_stages].kind = kind;
    fc->stages[fc->n_stages].value = value;
    fc->n_stages++;
    fc->dirty = 1;
    return fc->n_stages - 1;
}

static void fc_edit(fc_chain *fc, int index, float value) {
    fc->stages[index].value = value;
    fc->dirty = 1;
}

static cudaError_t fc_capture(fc_chain *fc, cudaGraph_t *graph) {
    int i;
    cudaError_t rc = cudaStreamBeginCapture(fc->stream, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    fc_copy<<<FC_SAMPLES / 256, 256, 0, fc->stream>>>(fc->d_src, fc->d_dst);
    for (i = 0; i < fc->n_stages; ++i) {
        if (fc->stages[i].kind == FC_SCALE)
            fc_scale<<<FC_SAMPLES / 256, 256, 0, fc->stream>>>(fc->d_dst, fc->stages[i].value);
        else
            fc_offset<<<FC_SAMPLES / 256, 256, 0, fc->stream>>>(fc->d_dst, fc->stages[i].value);
    }
    return cudaStreamEndCapture(fc->stream, graph);
}

static cudaError_t fc_refresh(fc_chain *fc) {
    cudaGraph_t graph = NULL;
    cudaGraphExecUpdateResultInfo info;
    cudaError_t rc;

    if (!fc->dirty) return cudaSuccess;
    rc = fc_capture(fc, &graph);
    if (rc != cudaSuccess) goto cleanup;
    if (!fc->exec) {
        rc = cudaGraphInstantiate(&fc->exec, graph, 0);
        if (rc != cudaSuccess) goto cleanup;
        fc->rebuilds++;
    } else {
        cudaGraphExecUpdate(fc->exec, graph, &info);  // HAZARD ignored
        fc->updates++;
    }
    fc->dirty = 0;
cleanup:
    if (graph) cudaGraphDestroy(graph);
    return rc;
}

static cudaError_t fc_run(fc_chain *fc, const float *in, float *out) {
    const size_t bytes = FC_SAMPLES * sizeof(float);
    cudaError_t rc = fc_refresh(fc);
    if (rc != cudaSuccess) return rc;
    if ((rc = cudaMemcpyAsync(fc->d_src, in, bytes, cudaMemcpyHostToDevice, fc->stream)) != cudaSuccess) return rc;
    if ((rc = cudaGraphLaunch(fc->exec, fc->stream)) != cudaSuccess) return rc;
    if ((rc = cudaMemcpyAsync(out, fc->d_dst, bytes, cudaMemcpyDeviceToHost, fc->stream)) != cudaSuccess) return rc;
    return cudaStreamSynchronize(fc->stream);
}

static int fc_expect(fc_chain *fc, float input, float want) {
    static float in[FC_SAMPLES], out[FC_SAMPLES];
    int i, bad = 0;
    for (i = 0; i < FC_SAMPLES; ++i) in[i] = input;
    if (fc_run(fc, in, out) != cudaSuccess) return 1;
    for (i = 0; i < FC_SAMPLES; ++i)
        if (out[i] != want) bad = 1;
    return bad;
}

int main(void) {
    int wrong = 0, gain;
    fc_chain *fc = fc_new();
    if (!fc) return 1;

    gain = fc_add(fc, FC_SCALE, 2.0f);
    wrong += fc_expect(fc, 3.0f, 6.0f);
    wrong += fc_expect(fc, 4.0f, 8.0f);
    fc_edit(fc, gain, 5.0f);
    wrong += fc_expect(fc, 3.0f, 15.0f);
    fc_add(fc, FC_OFFSET, 1.0f);
    wrong += fc_expect(fc, 3.0f, 16.0f);
    wrong += fc_expect(fc, 1.0f, 6.0f);

    printf("updates %d, rebuilds %d, wrong %d\n", fc->updates, fc->rebuilds, wrong);
    fc_free(fc);
    puts(wrong ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
