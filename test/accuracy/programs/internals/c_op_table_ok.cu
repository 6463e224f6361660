#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#define PIPE_LEN 512

struct pipe;
typedef cudaError_t (*op_fn)(struct pipe *p, cudaStream_t s);

struct op {
    const char *name;
    op_fn enqueue;
};

struct pipe {
    float *signal;
    float *window;
    float *peak;
    float *peak_host;
    int window_len;
    volatile int notified;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaError_t op_error;
};

__global__ void k_gain(float *x, float g, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= g;
}

__global__ void k_window(float *x, const float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= w[i];
}

__global__ void k_peak(const float *x, float *peak, int n)
{
    float m = 0.0f;
    for (int i = 0; i < n; ++i) m = fmaxf(m, x[i]);
    *peak = m;
}

static cudaError_t op_gain(struct pipe *p, cudaStream_t s)
{
    k_gain<<<PIPE_LEN / 128, 128, 0, s>>>(p->signal, 2.0f, PIPE_LEN);
    return cudaPeekAtLastError();
}

static cudaError_t op_window(struct pipe *p, cudaStream_t s)
{
    if (p->window_len != PIPE_LEN) return cudaErrorInvalidConfiguration;
    k_window<<<PIPE_LEN / 128, 128, 0, s>>>(p->signal, p->window, PIPE_LEN);
    return cudaPeekAtLastError();
}

static cudaError_t op_peak(struct pipe *p, cudaStream_t s)
{
    k_peak<<<1, 1, 0, s>>>(p->signal, p->peak, PIPE_LEN);
    return cudaMemcpyAsync(p->peak_host, p->peak, sizeof(float), cudaMemcpyDeviceToHost, s);
}

static void CUDART_CB on_block(void *user)
{
    struct pipe *p = (struct pipe *)user;
    p->notified++;
}

static cudaError_t op_notify(struct pipe *p, cudaStream_t s)
{
    return cudaLaunchHostFunc(s, on_block, p);
}

static const struct op OPS_PEAK[] = {{"gain", op_gain}, {"peak", op_peak}, {NULL, NULL}};
static const struct op OPS_NOTIFY[] = {{"gain", op_gain}, {"notify", op_notify}, {NULL, NULL}};
static const struct op OPS_WINDOW[] = {{"gain", op_gain}, {"window", op_window}, {NULL, NULL}};

static int pipe_init(struct pipe *p, int window_len)
{
    float ones[PIPE_LEN];
    int i;
    memset(p, 0, sizeof *p);
    for (i = 0; i < PIPE_LEN; ++i) ones[i] = 1.0f;
    p->window_len = window_len;
    if (cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking) != cudaSuccess) return -1;
    if (cudaMalloc((void **)&p->signal, sizeof ones) != cudaSuccess) return -1;
    if (cudaMalloc((void **)&p->window, sizeof ones) != cudaSuccess) return -1;
    if (cudaMalloc((void **)&p->peak, sizeof(float)) != cudaSuccess) return -1;
    if (cudaMallocHost((void **)&p->peak_host, sizeof(float)) != cudaSuccess) return -1;
    cudaMemcpyAsync(p->signal, ones, sizeof ones, cudaMemcpyHostToDevice, p->stream);
    cudaMemcpyAsync(p->window, ones, sizeof ones, cudaMemcpyHostToDevice, p->stream);
    return cudaStreamSynchronize(p->stream) == cudaSuccess ? 0 : -1;
}

static int pipe_record(struct pipe *p, const struct op *ops)
{
    int rc = -1;
    p->op_error = cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal);
    if (p->op_error != cudaSuccess) goto out;
    for (; ops->name; ++ops) {
        p->op_error = ops->enqueue(p, p->stream);
        if (p->op_error != cudaSuccess) {
            fprintf(stderr, "op %s: %s\n", ops->name, cudaGetErrorName(p->op_error));
            goto cancel;
        }
    }
    if (cudaStreamEndCapture(p->stream, &p->graph) != cudaSuccess) goto out;
    if (cudaGraphInstantiate(&p->exec, p->graph, 0) != cudaSuccess) goto out;
    rc = 0;
    goto out;
cancel:
    cudaStreamEndCapture(p->stream, &p->graph);
out:
    if (p->graph) cudaGraphDestroy(p->graph);
    p->graph = NULL;
    cudaGetLastError();
    return rc;
}

static cudaStreamCaptureStatus pipe_capture_state(struct pipe *p)
{
    cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(p->stream, &st);
    return st;
}

static cudaError_t pipe_run(struct pipe *p)
{
    cudaError_t rc = cudaGraphLaunch(p->exec, p->stream);
    return rc != cudaSuccess ? rc : cudaStreamSynchronize(p->stream);
}

int main(void)
{
    struct pipe a, b, c;
    int ready = !pipe_init(&a, PIPE_LEN) && !pipe_init(&b, PIPE_LEN) && !pipe_init(&c, PIPE_LEN / 2);
    int ra = pipe_record(&a, OPS_PEAK);
    int rb = pipe_record(&b, OPS_NOTIFY);
    int rc = pipe_record(&c, OPS_WINDOW);
    int open = pipe_capture_state(&c) == cudaStreamCaptureStatusActive;
    int runs = ra == 0 && rb == 0;
    for (int i = 0; runs && i < 3; ++i)
        runs = pipe_run(&a) == cudaSuccess && pipe_run(&b) == cudaSuccess;
    c.window_len = PIPE_LEN;
    int again = pipe_record(&c, OPS_WINDOW) == 0 && pipe_run(&c) == cudaSuccess;
    if (ready && runs && *a.peak_host == 8.0f && b.notified == 3 && rc == -1 && !open && again)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED ops %d %d %d open %d\n", a.op_error, b.op_error, c.op_error, open);
    return 0;
}
