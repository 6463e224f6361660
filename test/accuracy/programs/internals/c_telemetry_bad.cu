#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 1024, NOTES = 4 };

struct note {
    volatile int hits;
    int in_use;
};

struct note_pool { struct note slots[NOTES]; };

struct prefetch {
    pthread_t thread;
    float *block;
    size_t bytes;
    cudaError_t rc;
};

struct telemetry {
    float *samples, *level;
    cudaStream_t stream;
    cudaGraphExec_t meter, spectrum;
    struct note_pool notes;
    struct prefetch prefetch;
    unsigned long frames;
};

__global__ void k_accumulate(const float *x, float *level, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(level, x[i]);
}

__global__ void k_detrend(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] -= 1.0f;
}

static struct note *note_get(struct note_pool *pool)
{
    for (int i = 0; i < NOTES; ++i) {
        struct note *n = &pool->slots[i];
        if (n->in_use) continue;
        n->in_use = 1;
        n->hits = 0;
        return n;
    }
    return NULL;
}

static void note_put(struct note *n) { n->in_use = 0; }

static void CUDART_CB on_level(void *arg)
{
    ((struct note *)arg)->hits++;
}

static void *prefetch_main(void *arg)
{
    struct prefetch *p = (struct prefetch *)arg;
    p->rc = cudaMalloc((void **)&p->block, p->bytes); // HAZARD capture_mode #mode
    return NULL;
}

static int prefetch_start(struct prefetch *p, size_t bytes)
{
    p->bytes = bytes;
    return pthread_create(&p->thread, NULL, prefetch_main, p);
}

static int prefetch_wait(struct prefetch *p) { return pthread_join(p->thread, NULL); }

static cudaError_t telemetry_open(struct telemetry *t)
{
    cudaError_t rc;
    memset(t, 0, sizeof *t);
    if ((rc = cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking))) return rc;
    if ((rc = cudaMalloc((void **)&t->samples, SAMPLES * sizeof(float)))) return rc;
    if ((rc = cudaMalloc((void **)&t->level, sizeof(float)))) return rc;
    if ((rc = cudaMemsetAsync(t->samples, 0, SAMPLES * sizeof(float), t->stream))) return rc;
    return cudaStreamSynchronize(t->stream);
}

static cudaError_t seal(struct telemetry *t, cudaGraphExec_t *exec)
{
    cudaGraph_t g = NULL;
    cudaError_t rc = cudaStreamEndCapture(t->stream, &g);
    if (rc) return rc;
    rc = cudaGraphInstantiate(exec, g, 0);
    cudaGraphDestroy(g);
    return rc;
}

static cudaError_t record_meter(struct telemetry *t)
{
    struct note *n = note_get(&t->notes);
    cudaError_t rc = cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeRelaxed);
    if (rc) return rc;
    cudaMemsetAsync(t->level, 0, sizeof(float), t->stream);
    k_accumulate<<<SAMPLES / 128, 128, 0, t->stream>>>(t->samples, t->level, SAMPLES);
    cudaLaunchHostFunc(t->stream, on_level, n); // HAZARD dangling
    t->frames++; // HAZARD host_logic
    rc = seal(t, &t->meter);
    note_put(n);
    return rc;
}

static cudaError_t record_spectrum(struct telemetry *t)
{
    cudaError_t rc = cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeGlobal); // HAZARD capture_mode #mode
    if (rc) return rc;
    prefetch_start(&t->prefetch, SAMPLES * sizeof(float));
    k_detrend<<<SAMPLES / 128, 128, 0, t->stream>>>(t->samples, SAMPLES);
    prefetch_wait(&t->prefetch);
    return seal(t, &t->spectrum);
}

static cudaError_t run_frame(struct telemetry *t, cudaGraphExec_t exec)
{
    cudaError_t rc = cudaGraphLaunch(exec, t->stream);
    return rc ? rc : cudaStreamSynchronize(t->stream);
}

int main(void)
{
    struct telemetry t;
    cudaError_t rc = telemetry_open(&t);
    if (!rc) rc = record_meter(&t);
    for (int i = 0; i < 3 && !rc; ++i) rc = run_frame(&t, t.meter);
    struct note *alarm = note_get(&t.notes);
    for (int i = 0; i < 2 && !rc; ++i) rc = run_frame(&t, t.meter);
    int alarms = alarm->hits;
    unsigned long frames = t.frames;
    cudaError_t spectrum = record_spectrum(&t);
    int refused = t.prefetch.rc == cudaErrorStreamCaptureUnsupported && spectrum != cudaSuccess;
    if (!rc && alarms == 2 && frames == 1 && refused)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED rc %d alarms %d frames %lu prefetch %d spectrum %d\n", rc, alarms, frames, t.prefetch.rc, spectrum);
    return 0;
}
