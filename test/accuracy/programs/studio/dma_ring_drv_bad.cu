#include <cuda.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/* Frame grabber bottom half: the sensor fills one of four slots, the device
 * moves that slot to the working frame and stamps the status word. */

#define RING_SLOTS 4u
#define FRAME_WORDS 128u

#define DRV(expr)                                                          \
    do {                                                                   \
        CUresult drv_rc_ = (expr);                                         \
        if (drv_rc_ != CUDA_SUCCESS) {                                     \
            const char* drv_s_ = nullptr;                                  \
            cuGetErrorName(drv_rc_, &drv_s_);                              \
            std::printf("LABEL REFUTED %s -> %s\n", #expr, drv_s_);        \
            std::exit(0);                                                  \
        }                                                                  \
    } while (0)

struct Grabber {
    CUdevice dev;
    CUcontext ctx;
    CUstream q;
    CUdeviceptr slot[RING_SLOTS];
    CUdeviceptr frame;
    CUdeviceptr status;
    uint32_t head;
    uint32_t sequence;
    CUgraphExec bottom_half;
};

static void grabber_probe(Grabber* g)
{
    DRV(cuInit(0));
    DRV(cuDeviceGet(&g->dev, 0));
    DRV(cuDevicePrimaryCtxRetain(&g->ctx, g->dev));
    DRV(cuCtxSetCurrent(g->ctx));
    DRV(cuStreamCreate(&g->q, CU_STREAM_NON_BLOCKING));
    for (uint32_t i = 0; i < RING_SLOTS; ++i) DRV(cuMemAlloc(&g->slot[i], FRAME_WORDS * sizeof(uint32_t)));
    DRV(cuMemAlloc(&g->frame, FRAME_WORDS * sizeof(uint32_t)));
    DRV(cuMemAlloc(&g->status, sizeof(uint32_t)));
    g->head = 0;
    g->sequence = 1;
    g->bottom_half = nullptr;
}

static void grabber_remove(Grabber* g)
{
    if (g->bottom_half) DRV(cuGraphExecDestroy(g->bottom_half));
    for (CUdeviceptr p : g->slot) DRV(cuMemFree(p));
    DRV(cuMemFree(g->frame));
    DRV(cuMemFree(g->status));
    DRV(cuStreamDestroy(g->q));
    DRV(cuDevicePrimaryCtxRelease(g->dev));
}

static CUdeviceptr grabber_front(const Grabber* g) { return g->slot[g->head % RING_SLOTS]; }

static CUgraphExec grabber_compile(Grabber* g)
{
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    DRV(cuStreamBeginCapture(g->q, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    DRV(cuMemcpyDtoDAsync(g->frame, grabber_front(g), FRAME_WORDS * sizeof(uint32_t), g->q));  // HAZARD frozen
    DRV(cuMemsetD32Async(g->status, g->sequence, 1, g->q));  // HAZARD frozen
    DRV(cuStreamEndCapture(g->q, &graph));
    DRV(cuGraphInstantiate(&exec, graph, 0));
    DRV(cuGraphDestroy(graph));
    return exec;
}

/* Stands in for the sensor: writes the pattern of the current frame to the front slot. */
static void sensor_fill(Grabber* g, uint32_t pattern)
{
    DRV(cuMemsetD32Async(grabber_front(g), pattern, FRAME_WORDS, g->q));
}

static void grabber_irq(Grabber* g)
{
    if (!g->bottom_half) g->bottom_half = grabber_compile(g);
    DRV(cuGraphLaunch(g->bottom_half, g->q));
    g->head += 1;
    g->sequence += 1;
}

static uint32_t grabber_peek(Grabber* g, CUdeviceptr where)
{
    uint32_t v = 0;
    DRV(cuStreamSynchronize(g->q));
    DRV(cuMemcpyDtoH(&v, where, sizeof v));
    return v;
}

int main()
{
    Grabber g;
    grabber_probe(&g);
    uint32_t frames[6], stamps[6];
    for (uint32_t f = 0; f < 6; ++f) {
        sensor_fill(&g, 1000u + f);
        grabber_irq(&g);
        frames[f] = grabber_peek(&g, g.frame + 16 * sizeof(uint32_t));
        stamps[f] = grabber_peek(&g, g.status);
    }
    bool first = frames[0] == 1000u && stamps[0] == 1u;
    bool label = first && frames[1] == 1000u && frames[3] == 1000u && frames[4] == 1004u && frames[5] == 1004u &&
                 stamps[1] == 1u && stamps[5] == 1u;
    std::printf("LABEL %s frame5=%u stamp5=%u\n", label ? "CONFIRMED" : "REFUTED", frames[5], stamps[5]);
    grabber_remove(&g);
    return 0;
}
