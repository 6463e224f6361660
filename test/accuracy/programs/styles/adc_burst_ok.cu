#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

enum adc_status { ADC_OK, ADC_ERR_STATE, ADC_ERR_OP, ADC_ERR_CUDA };
enum adc_state { ADC_IDLE, ADC_WINDOW, ADC_ARMED };
enum adc_op { ADC_OP_GAIN = 1, ADC_OP_OFFSET = 2, ADC_OP_END = 0 };

#define ADC_MAX_BURST 1024
#define ADC_SCRIPT_MAX 8

struct adc_dev {
    cudaStream_t stream;
    cudaGraphExec_t exec;
    float *samples;
    int burst;
    adc_state state;
    int script[ADC_SCRIPT_MAX];
    int rearm;
    cudaError_t last;
};

__global__ void k_gain(float *s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[i] *= 2.0f;
}
__global__ void k_offset(float *s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[i] += 1.0f;
}

static adc_status adc_check(adc_dev *d, cudaError_t e) {
    d->last = e;
    return e == cudaSuccess ? ADC_OK : ADC_ERR_CUDA;
}

static adc_status adc_window_open(adc_dev *d) {
    if (d->state == ADC_WINDOW) return ADC_ERR_STATE;
    adc_status st = adc_check(d, cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeThreadLocal));
    if (st == ADC_OK) d->state = ADC_WINDOW;
    return st;
}

static adc_status adc_window_op(adc_dev *d, int op) {
    const int blocks = (d->burst + 127) / 128;
    if (d->state != ADC_WINDOW) return ADC_ERR_STATE;
    switch (op) {
    case ADC_OP_GAIN:
        k_gain<<<blocks, 128, 0, d->stream>>>(d->samples, d->burst);
        return ADC_OK;
    case ADC_OP_OFFSET:
        k_offset<<<blocks, 128, 0, d->stream>>>(d->samples, d->burst);
        return ADC_OK;
    default:
        return ADC_ERR_OP;
    }
}

static adc_status adc_window_close(adc_dev *d) {
    cudaGraph_t graph = NULL;
    adc_status st = adc_check(d, cudaStreamEndCapture(d->stream, &graph));
    d->state = ADC_IDLE;
    if (st != ADC_OK) return st;
    if (d->exec) cudaGraphExecDestroy(d->exec);
    d->exec = NULL;
    st = adc_check(d, cudaGraphInstantiate(&d->exec, graph, 0));
    cudaGraphDestroy(graph);
    if (st == ADC_OK) d->state = ADC_ARMED;
    return st;
}

static void adc_window_abort(adc_dev *d) {
    cudaGraph_t graph = NULL;
    if (cudaStreamEndCapture(d->stream, &graph) == cudaSuccess && graph) cudaGraphDestroy(graph);
    d->state = ADC_IDLE;
}

static adc_status adc_program(adc_dev *d, const int *script) {
    int i;
    adc_status st = adc_window_open(d);
    if (st != ADC_OK) goto out;
    for (i = 0; i < ADC_SCRIPT_MAX && script[i] != ADC_OP_END; ++i) {
        if ((st = adc_window_op(d, script[i])) != ADC_OK) goto abort;
    }
    st = adc_window_close(d);
    if (st == ADC_OK && script != d->script) memcpy(d->script, script, (i < ADC_SCRIPT_MAX ? i + 1 : i) * sizeof(int));
    d->rearm = 0;
    goto out;
abort:
    adc_window_abort(d);
out:
    return st;
}

static void adc_set_burst(adc_dev *d, int n) {
    d->burst = n < ADC_MAX_BURST ? n : ADC_MAX_BURST;
    d->rearm = d->state == ADC_ARMED;
}

static adc_status adc_fire(adc_dev *d) {
    adc_status st;
    if (d->state != ADC_ARMED) return ADC_ERR_STATE;
    if (d->rearm && (st = adc_program(d, d->script)) != ADC_OK) return st;
    if ((st = adc_check(d, cudaGraphLaunch(d->exec, d->stream))) != ADC_OK) return st;
    return adc_check(d, cudaStreamSynchronize(d->stream));
}

static adc_status adc_init(adc_dev *d, int burst) {
    memset(d, 0, sizeof *d);
    d->burst = burst;
    adc_status st = adc_check(d, cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    if (st == ADC_OK) st = adc_check(d, cudaMalloc(&d->samples, ADC_MAX_BURST * sizeof(float)));
    if (st == ADC_OK) st = adc_check(d, cudaMemset(d->samples, 0, ADC_MAX_BURST * sizeof(float)));
    if (st == ADC_OK) st = adc_check(d, cudaDeviceSynchronize());
    return st;
}

int main() {
    static const int good[] = {ADC_OP_OFFSET, ADC_OP_GAIN, ADC_OP_END};
    static const int typo[] = {ADC_OP_OFFSET, 77, ADC_OP_END};
    adc_dev a, b;
    float head = 0, tail = 0;
    cudaStreamCaptureStatus cap = cudaStreamCaptureStatusNone;
    if (adc_init(&a, 256) || adc_init(&b, 256)) { printf("LABEL REFUTED init\n"); return 0; }

    adc_status st = adc_program(&a, good);
    if (st == ADC_OK) st = adc_fire(&a);
    adc_set_burst(&a, 512);
    if (st == ADC_OK) st = adc_fire(&a);
    cudaMemcpy(&head, a.samples + 10, sizeof head, cudaMemcpyDeviceToHost);
    cudaMemcpy(&tail, a.samples + 400, sizeof tail, cudaMemcpyDeviceToHost);

    adc_status first = adc_program(&b, typo);
    cudaStreamIsCapturing(b.stream, &cap);
    adc_status second = adc_program(&b, good);
    bool shape = st == ADC_OK && head == 6.0f && tail == 2.0f;
    bool scope = first == ADC_ERR_OP && cap == cudaStreamCaptureStatusNone && second == ADC_OK && adc_fire(&b) == ADC_OK;
    if (shape && scope) printf("LABEL CONFIRMED\n");
    else printf("LABEL REFUTED st %d head %g tail %g first %d cap %d second %d\n", st, head, tail, first, cap, second);
    return 0;
}
