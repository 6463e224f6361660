/* Sonar receive chain. Pings are written into a device ring buffer; a fixed pipeline (window, matched filter and an
 * optional despeckle stage) is recorded as a graph and replayed for every ping. C style, no exceptions. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PING_LEN 256
#define RING_SLOTS 4
#define SPECKLE_LIMIT 60

#define CK(call)                                                                                \
    do {                                                                                        \
        cudaError_t ck_ = (call);                                                               \
        if (ck_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s line %d: %s\n", #call, __LINE__, cudaGetErrorString(ck_));      \
            exit(2);                                                                            \
        }                                                                                       \
    } while (0)

typedef struct {
    int *ring;      /* RING_SLOTS * PING_LEN, device */
    int *windowed;  /* device */
    int *echo;      /* device */
    int *h_ping;    /* pinned */
    int *h_echo;    /* pinned */
    int head;       /* slot of the newest ping */
    int *h_head;    /* pinned copy of head, read by the recorded upload */
    int *d_head;    /* device */
    int despeckle;  /* range mode option */
    cudaStream_t stream;
    cudaGraphExec_t exec;
} sonar_t;

__global__ void window_ping(const int *ring, const int *head, int *out)
{
    const int *ping = ring + *head * PING_LEN;
    out[threadIdx.x] = ping[threadIdx.x] * (threadIdx.x < PING_LEN / 2 ? 1 : 2);
}

__global__ void matched_filter(const int *in, int *out)
{
    const int i = threadIdx.x;
    out[i] = in[i] + (i > 0 ? in[i - 1] : 0);
}

__global__ void despeckle(int *echo)
{
    if (echo[threadIdx.x] > SPECKLE_LIMIT)
        echo[threadIdx.x] = SPECKLE_LIMIT;
}

static void sonar_open(sonar_t *s)
{
    memset(s, 0, sizeof *s);
    CK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    CK(cudaMalloc(&s->ring, RING_SLOTS * PING_LEN * sizeof(int)));
    CK(cudaMalloc(&s->windowed, PING_LEN * sizeof(int)));
    CK(cudaMalloc(&s->echo, PING_LEN * sizeof(int)));
    CK(cudaMallocHost(&s->h_ping, PING_LEN * sizeof(int)));
    CK(cudaMallocHost(&s->h_echo, PING_LEN * sizeof(int)));
    CK(cudaMallocHost(&s->h_head, sizeof(int)));
    CK(cudaMalloc(&s->d_head, sizeof(int)));
    *s->h_head = 0;
    CK(cudaMemset(s->ring, 0, RING_SLOTS * PING_LEN * sizeof(int)));
    CK(cudaDeviceSynchronize());
}

static void sonar_close(sonar_t *s)
{
    if (s->exec)
        CK(cudaGraphExecDestroy(s->exec));
    CK(cudaFree(s->d_head));
    CK(cudaFreeHost(s->h_head));
    CK(cudaFreeHost(s->h_echo));
    CK(cudaFreeHost(s->h_ping));
    CK(cudaFree(s->echo));
    CK(cudaFree(s->windowed));
    CK(cudaFree(s->ring));
    CK(cudaStreamDestroy(s->stream));
}

/* Records the chain in its present configuration. */
static cudaGraph_t sonar_record(sonar_t *s)
{
    cudaGraph_t graph = NULL;
    CK(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeGlobal));
    CK(cudaMemcpyAsync(s->d_head, s->h_head, sizeof(int), cudaMemcpyHostToDevice, s->stream));
    window_ping<<<1, PING_LEN, 0, s->stream>>>(s->ring, s->d_head, s->windowed);
    matched_filter<<<1, PING_LEN, 0, s->stream>>>(s->windowed, s->echo);
    if (s->despeckle) /* fixed per mode, sonar_set_despeckle() records again */
        despeckle<<<1, PING_LEN, 0, s->stream>>>(s->echo);
    CK(cudaGetLastError());
    CK(cudaMemcpyAsync(s->h_echo, s->echo, PING_LEN * sizeof(int), cudaMemcpyDeviceToHost, s->stream));
    CK(cudaStreamEndCapture(s->stream, &graph));
    return graph;
}

static void sonar_set_despeckle(sonar_t *s, int on)
{
    cudaGraph_t graph;
    s->despeckle = on;
    graph = sonar_record(s);
    if (s->exec == NULL) {
        CK(cudaGraphInstantiate(&s->exec, graph, 0));
    } else {
        cudaGraphExecUpdateResultInfo info;
        if (cudaGraphExecUpdate(s->exec, graph, &info) != cudaSuccess) {
            (void)cudaGetLastError(); /* the chain has another shape now: build a new executable */
            CK(cudaGraphExecDestroy(s->exec));
            CK(cudaGraphInstantiate(&s->exec, graph, 0));
        }
    }
    CK(cudaGraphDestroy(graph));
}

/* Uploads one ping into the next slot of the ring. */
static void sonar_acquire(sonar_t *s, int number)
{
    int i;
    for (i = 0; i < PING_LEN; ++i)
        s->h_ping[i] = (i % 8) * 5 + number;
    s->head = (s->head + 1) % RING_SLOTS;
    *s->h_head = s->head; /* safe: sonar_process() waits for the previous replay */
    CK(cudaMemcpyAsync(s->ring + s->head * PING_LEN, s->h_ping, PING_LEN * sizeof(int), cudaMemcpyHostToDevice,
                       s->stream));
}

static void sonar_process(sonar_t *s)
{
    CK(cudaGraphLaunch(s->exec, s->stream));
    CK(cudaStreamSynchronize(s->stream));
}

static int reference_echo(int number, int i, int limit)
{
    int v = ((i % 8) * 5 + number) * (i < PING_LEN / 2 ? 1 : 2);
    if (i > 0)
        v += (((i - 1) % 8) * 5 + number) * (i - 1 < PING_LEN / 2 ? 1 : 2);
    return limit && v > SPECKLE_LIMIT ? SPECKLE_LIMIT : v;
}

int main(void)
{
    sonar_t s;
    int ping, i, stale = 0, speckled = 0;

    sonar_open(&s);
    sonar_set_despeckle(&s, 0);
    for (ping = 1; ping <= 5; ++ping) {
        sonar_acquire(&s, ping);
        sonar_process(&s);
        for (i = 0; i < PING_LEN; ++i)
            if (s.h_echo[i] != reference_echo(ping, i, 0))
                ++stale;
    }
    /* Shallow water: the despeckle stage comes in. */
    sonar_set_despeckle(&s, 1);
    for (; ping <= 9; ++ping) {
        sonar_acquire(&s, ping);
        sonar_process(&s);
        for (i = 0; i < PING_LEN; ++i) {
            if (s.h_echo[i] > SPECKLE_LIMIT)
                ++speckled;
            if (s.h_echo[i] != reference_echo(ping, i, 1))
                ++stale;
        }
    }
    printf("stale samples %d, samples above the speckle limit %d\n", stale, speckled);
    sonar_close(&s);
    puts(stale == 0 && speckled == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
