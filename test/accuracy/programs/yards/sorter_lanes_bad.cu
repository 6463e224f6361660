/* Optical sorting machine: two line-scan sensors, one ejector bar, one frame per replay. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LANE_MASTER, LANE_NIR, LANE_RGB, LANE_COUNT };
enum { STG_ACQUIRE, STG_MOISTURE, STG_COLOR, STG_GRADE, STG_EJECT, STG_COUNT };
#define AFTER(stage) (1u << (stage))

enum { PIXELS = 2048, NOZZLES = 64, PER_NOZZLE = PIXELS / NOZZLES };

struct sorter;
typedef cudaError_t (*stage_fn)(struct sorter *s, cudaStream_t stream);

typedef struct {
    const char *name;
    stage_fn enqueue;
    int lane;
    uint32_t after; /* stages of other lanes that must be complete */
} stage_desc;

typedef struct sorter {
    cudaStream_t lane[LANE_COUNT];
    cudaEvent_t done[STG_COUNT];
    cudaGraphExec_t frame_exec;
    uint16_t *h_nir, *h_rgb; /* pinned frame grabber buffers */
    uint16_t *d_nir, *d_rgb;
    int32_t *d_moisture, *d_color, *d_eject;
    int32_t *h_eject;
    long long settle_cycles;
} sorter;

__global__ void moisture_index(const uint16_t *nir, int32_t *score) {
    int32_t sum = 0;
    for (int i = 0; i < PER_NOZZLE; ++i) sum += nir[threadIdx.x * PER_NOZZLE + i];
    score[threadIdx.x] = sum / PER_NOZZLE;
}

/* Color classification accumulates for a fixed integration time before it writes its result. */
__global__ void color_index(const uint16_t *rgb, int32_t *score, long long settle) {
    int32_t lo = 65535, hi = 0;
    for (int i = 0; i < PER_NOZZLE; ++i) {
        int32_t v = rgb[threadIdx.x * PER_NOZZLE + i];
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    long long start = clock64();
    while (clock64() - start < settle) {
    }
    score[threadIdx.x] = hi - lo;
}

__global__ void grade_product(const int32_t *moisture, const int32_t *color, int32_t *eject) {
    eject[threadIdx.x] = 3 * color[threadIdx.x] - moisture[threadIdx.x];
}

static cudaError_t acquire(sorter *s, cudaStream_t st) {
    cudaError_t rc = cudaMemcpyAsync(s->d_nir, s->h_nir, PIXELS * sizeof(uint16_t), cudaMemcpyHostToDevice, st);
    if (rc == cudaSuccess)
        rc = cudaMemcpyAsync(s->d_rgb, s->h_rgb, PIXELS * sizeof(uint16_t), cudaMemcpyHostToDevice, st);
    return rc;
}
static cudaError_t moisture(sorter *s, cudaStream_t st) {
    moisture_index<<<1, NOZZLES, 0, st>>>(s->d_nir, s->d_moisture);
    return cudaGetLastError();
}
static cudaError_t color(sorter *s, cudaStream_t st) {
    color_index<<<1, NOZZLES, 0, st>>>(s->d_rgb, s->d_color, s->settle_cycles);
    return cudaGetLastError();
}
static cudaError_t grade(sorter *s, cudaStream_t st) {
    grade_product<<<1, NOZZLES, 0, st>>>(s->d_moisture, s->d_color, s->d_eject); // HAZARD dependency #color
    return cudaGetLastError();
}
static cudaError_t eject(sorter *s, cudaStream_t st) {
    return cudaMemcpyAsync(s->h_eject, s->d_eject, NOZZLES * sizeof(int32_t), cudaMemcpyDeviceToHost, st);
}

static const stage_desc PIPELINE[STG_COUNT] = {
    {"acquire", acquire, LANE_MASTER, 0},
    {"moisture", moisture, LANE_NIR, AFTER(STG_ACQUIRE)},
    {"color", color, LANE_RGB, AFTER(STG_ACQUIRE)},
    {"grade", grade, LANE_MASTER, AFTER(STG_MOISTURE)}, // HAZARD dependency #color
    {"eject", eject, LANE_MASTER, AFTER(STG_COLOR) | AFTER(STG_GRADE)},
};

static cudaError_t enqueue_pipeline(sorter *s) {
    for (int i = 0; i < STG_COUNT; ++i) {
        const stage_desc *d = &PIPELINE[i];
        cudaStream_t st = s->lane[d->lane];
        for (int w = 0; w < i; ++w) {
            if (!(d->after & AFTER(w))) continue;
            cudaError_t rc = cudaStreamWaitEvent(st, s->done[w], 0);
            if (rc != cudaSuccess) return rc;
        }
        cudaError_t rc = d->enqueue(s, st);
        if (rc == cudaSuccess) rc = cudaEventRecord(s->done[i], st);
        if (rc != cudaSuccess) {
            fprintf(stderr, "stage %s: %s\n", d->name, cudaGetErrorString(rc));
            return rc;
        }
    }
    return cudaSuccess;
}

static cudaError_t build_frame(sorter *s) {
    cudaGraph_t graph = NULL;
    cudaError_t rc = cudaStreamBeginCapture(s->lane[LANE_MASTER], cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    cudaError_t body = enqueue_pipeline(s);
    rc = cudaStreamEndCapture(s->lane[LANE_MASTER], &graph);
    if (body == cudaSuccess && rc == cudaSuccess) rc = cudaGraphInstantiate(&s->frame_exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return body != cudaSuccess ? body : rc;
}

static cudaError_t sorter_init(sorter *s) {
    cudaError_t rc = cudaSuccess;
    const size_t line = PIXELS * sizeof(uint16_t), bar = NOZZLES * sizeof(int32_t);
    for (int l = 0; l < LANE_COUNT && rc == cudaSuccess; ++l)
        rc = cudaStreamCreateWithFlags(&s->lane[l], cudaStreamNonBlocking);
    for (int e = 0; e < STG_COUNT && rc == cudaSuccess; ++e)
        rc = cudaEventCreateWithFlags(&s->done[e], cudaEventDisableTiming);
    if (rc == cudaSuccess) rc = cudaMallocHost(&s->h_nir, line);
    if (rc == cudaSuccess) rc = cudaMallocHost(&s->h_rgb, line);
    if (rc == cudaSuccess) rc = cudaMallocHost(&s->h_eject, bar);
    if (rc == cudaSuccess) rc = cudaMalloc(&s->d_nir, line);
    if (rc == cudaSuccess) rc = cudaMalloc(&s->d_rgb, line);
    if (rc == cudaSuccess) rc = cudaMalloc(&s->d_moisture, bar);
    if (rc == cudaSuccess) rc = cudaMalloc(&s->d_color, bar);
    if (rc == cudaSuccess) rc = cudaMalloc(&s->d_eject, bar);
    if (rc == cudaSuccess) rc = cudaMemset(s->d_color, 0, bar);
    if (rc == cudaSuccess) rc = cudaDeviceSynchronize();
    s->settle_cycles = 20000000ll;
    return rc;
}

static void sorter_free(sorter *s) {
    if (s->frame_exec) cudaGraphExecDestroy(s->frame_exec);
    cudaFree(s->d_eject);
    cudaFree(s->d_color);
    cudaFree(s->d_moisture);
    cudaFree(s->d_rgb);
    cudaFree(s->d_nir);
    cudaFreeHost(s->h_eject);
    cudaFreeHost(s->h_rgb);
    cudaFreeHost(s->h_nir);
    for (int e = 0; e < STG_COUNT; ++e)
        if (s->done[e]) cudaEventDestroy(s->done[e]);
    for (int l = 0; l < LANE_COUNT; ++l)
        if (s->lane[l]) cudaStreamDestroy(s->lane[l]);
}

static void grab_frame(sorter *s, int frame) {
    for (int i = 0; i < PIXELS; ++i) {
        s->h_nir[i] = (uint16_t)((i * 31 + frame * 517) % 4096);
        s->h_rgb[i] = (uint16_t)(1000 + ((i * 7) % 64) * (frame + 1) * 8);
    }
}

static int frame_is_right(const sorter *s) {
    for (int n = 0; n < NOZZLES; ++n) {
        int32_t sum = 0, lo = 65535, hi = 0;
        for (int i = n * PER_NOZZLE; i < (n + 1) * PER_NOZZLE; ++i) {
            sum += s->h_nir[i];
            if (s->h_rgb[i] < lo) lo = s->h_rgb[i];
            if (s->h_rgb[i] > hi) hi = s->h_rgb[i];
        }
        if (s->h_eject[n] != 3 * (hi - lo) - sum / PER_NOZZLE) return 0;
    }
    return 1;
}

int main(void) {
    static sorter machine;
    const int frames = 6;
    int right = 0;
    cudaError_t rc = sorter_init(&machine);
    if (rc == cudaSuccess) rc = build_frame(&machine);
    for (int frame = 0; frame < frames && rc == cudaSuccess; ++frame) {
        grab_frame(&machine, frame);
        rc = cudaGraphLaunch(machine.frame_exec, machine.lane[LANE_MASTER]);
        if (rc == cudaSuccess) rc = cudaStreamSynchronize(machine.lane[LANE_MASTER]);
        if (rc == cudaSuccess) right += frame_is_right(&machine);
    }
    sorter_free(&machine);
    printf("status %d, frames right %d of %d\n", (int)rc, right, frames);
    int observed = rc == cudaSuccess && right == 0;
    puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return observed ? EXIT_SUCCESS : EXIT_FAILURE;
}
