/* Mains-hum removal for a bank of recorded channels. C interface: opaque bank, stages behind a table of functions. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HUM_OK = 0, HUM_ENOMEM = -1, HUM_ECUDA = -2, HUM_EORDER = -3 };
enum { HUM_MAX_STAGES = 8, HUM_MAX_TAPS = 16, HUM_THREADS = 128 };

typedef struct hum_stage hum_stage;
typedef struct hum_bank hum_bank;

typedef struct hum_stage_ops {
    const char *name;
    int (*enqueue)(const hum_stage *st, const float *in, float *out, int n, cudaStream_t s);
    void (*reference)(const hum_stage *st, const float *in, float *out, int n);
} hum_stage_ops;

struct hum_stage {
    const hum_stage_ops *ops;
    float gain;
    int taps;
};

struct hum_bank {
    int n;
    int stage_count;
    hum_stage stages[HUM_MAX_STAGES];
    cudaStream_t stream;
    float *ping, *pong;
    const float *result;
    cudaGraphExec_t exec;
    cudaError_t last_error;
};

__global__ void k_gain(const float *in, float *out, int n, float gain) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * gain;
}

__global__ void k_comb(const float *in, float *out, int n, int taps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0.0f;
    for (int k = 0; k < taps; ++k) acc += i >= k ? in[i - k] : 0.0f;
    out[i] = in[i] - acc / taps;
}

static int hum_grid(int n) { return (n + HUM_THREADS - 1) / HUM_THREADS; }

static int gain_enqueue(const hum_stage *st, const float *in, float *out, int n, cudaStream_t s) {
    k_gain<<<hum_grid(n), HUM_THREADS, 0, s>>>(in, out, n, st->gain);
    return cudaGetLastError() == cudaSuccess ? HUM_OK : HUM_ECUDA;
}

static void gain_reference(const hum_stage *st, const float *in, float *out, int n) {
    for (int i = 0; i < n; ++i) out[i] = in[i] * st->gain;
}

static int comb_enqueue(const hum_stage *st, const float *in, float *out, int n, cudaStream_t s) {
    if (st->taps > HUM_MAX_TAPS) return HUM_EORDER;
    k_comb<<<hum_grid(n), HUM_THREADS, 0, s>>>(in, out, n, st->taps);
    return cudaGetLastError() == cudaSuccess ? HUM_OK : HUM_ECUDA;
}

static void comb_reference(const hum_stage *st, const float *in, float *out, int n) {
    for (int i = 0; i < n; ++i) {
        float acc = 0.0f;
        for (int k = 0; k < st->taps; ++k) acc += i >= k ? in[i - k] : 0.0f;
        out[i] = in[i] - acc / st->taps;
    }
}

static const hum_stage_ops gain_ops = {"gain", gain_enqueue, gain_reference};
static const hum_stage_ops comb_ops = {"comb", comb_enqueue, comb_reference};

static void hum_bank_free(hum_bank *b) {
    if (!b) return;
    if (b->exec) cudaGraphExecDestroy(b->exec);
    cudaFree(b->ping);
    cudaFree(b->pong);
    if (b->stream) cudaStreamDestroy(b->stream);
    free(b);
}

static hum_bank *hum_bank_new(int n) {
    hum_bank *b = (hum_bank *)calloc(1, sizeof *b);
    if (!b) return NULL;
    b->n = n;
    if (cudaStreamCreate(&b->stream) != cudaSuccess || cudaMalloc(&b->ping, n * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&b->pong, n * sizeof(float)) != cudaSuccess) {
        hum_bank_free(b);
        return NULL;
    }
    return b;
}

static void hum_bank_configure(hum_bank *b, float gain, int taps) {
    b->stage_count = 3;
    b->stages[0] = (hum_stage){&gain_ops, gain, 0};
    b->stages[1] = (hum_stage){&comb_ops, 0.0f, taps};
    b->stages[2] = (hum_stage){&gain_ops, 1.0f / gain, 0};
}

static int hum_bank_record(hum_bank *b) {
    cudaGraph_t graph = NULL;
    float *src = b->ping, *dst = b->pong;
    int rc = HUM_OK;

    b->last_error = cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeGlobal);
    if (b->last_error != cudaSuccess) return HUM_ECUDA;
    for (int i = 0; i < b->stage_count; ++i) {
        const hum_stage *st = &b->stages[i];
        rc = st->ops->enqueue(st, src, dst, b->n, b->stream);
        if (rc != HUM_OK) {
            fprintf(stderr, "stage %s refused (%d)\n", st->ops->name, rc);
            break;
        }
        float *t = src; src = dst; dst = t;
    }
    b->last_error = cudaStreamEndCapture(b->stream, &graph);
    if (rc != HUM_OK) {
        if (graph) cudaGraphDestroy(graph);
        return rc;
    }
    if (b->last_error != cudaSuccess) return HUM_ECUDA;
    b->result = src;
    b->last_error = cudaGraphInstantiate(&b->exec, graph, 0);
    cudaGraphDestroy(graph);
    return b->last_error == cudaSuccess ? HUM_OK : HUM_ECUDA;
}

static int hum_bank_process(hum_bank *b, const float *in, float *out) {
    size_t bytes = b->n * sizeof(float);
    if (cudaMemcpyAsync(b->ping, in, bytes, cudaMemcpyHostToDevice, b->stream) != cudaSuccess) return HUM_ECUDA;
    if (cudaGraphLaunch(b->exec, b->stream) != cudaSuccess) return HUM_ECUDA;
    if (cudaMemcpyAsync(out, b->result, bytes, cudaMemcpyDeviceToHost, b->stream) != cudaSuccess) return HUM_ECUDA;
    return cudaStreamSynchronize(b->stream) == cudaSuccess ? HUM_OK : HUM_ECUDA;
}

static int hum_count_wrong(const hum_bank *b, const float *in, const float *out) {
    float *a = (float *)malloc(b->n * sizeof(float)), *c = (float *)malloc(b->n * sizeof(float));
    int wrong = 0;
    memcpy(a, in, b->n * sizeof(float));
    for (int i = 0; i < b->stage_count; ++i) {
        b->stages[i].ops->reference(&b->stages[i], a, c, b->n);
        float *t = a; a = c; c = t;
    }
    for (int i = 0; i < b->n; ++i) wrong += fabsf(a[i] - out[i]) > 1e-3f;
    free(a);
    free(c);
    return wrong;
}

int main(void) {
    const int n = 4096;
    float *in = (float *)malloc(n * sizeof(float)), *out = (float *)malloc(n * sizeof(float));
    hum_bank *bank = hum_bank_new(n);
    int rc = HUM_ENOMEM, wrong = 0, taps = 32;

    if (bank && in && out) {
        /* Ask for the sharpest comb and step down until the device stage accepts the order. */
        do {
            hum_bank_configure(bank, 2.0f, taps);
            rc = hum_bank_record(bank);
            printf("order %d: %d (%s)\n", taps, rc, cudaGetErrorString(bank->last_error));
            taps /= 2;
        } while (rc == HUM_EORDER && taps >= 4);

        for (int block = 0; rc == HUM_OK && block < 4; ++block) {
            for (int i = 0; i < n; ++i) in[i] = (float)((i * 5 + block * 3) % 17) - 8.0f;
            rc = hum_bank_process(bank, in, out);
            if (rc == HUM_OK) wrong += hum_count_wrong(bank, in, out);
        }
    }
    hum_bank_free(bank);
    puts(rc == HUM_OK && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    free(in);
    free(out);
    return 0;
}
