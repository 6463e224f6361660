#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

typedef enum { SN_OK = 0, SN_ENOSLOT = -1, SN_ECUDA = -2, SN_EARG = -3 } sn_err;

#define SN_SLOTS 3
#define SN_TAPS_MAX 64
#define SN_GO(x) do { if ((x) != cudaSuccess) { rc = SN_ECUDA; goto cleanup; } } while (0)

typedef struct { float taps[SN_TAPS_MAX]; } sn_slot;

typedef struct {
    int n_taps;
    int floor_byte;
    float gain[SN_TAPS_MAX];
    unsigned generation;
} sn_config;

static sn_slot slot_mem[SN_SLOTS];
static unsigned char slot_used[SN_SLOTS];
static sn_config g_cfg;

static struct {
    cudaStream_t stream;
    cudaGraphExec_t ping;
    float *d_taps, *d_beam, *d_track;
    unsigned char *d_noise;
    sn_slot *taps_slot;
    unsigned built_generation;
} g_unit;

static sn_slot *slot_take(void) {
    for (int i = 0; i < SN_SLOTS; ++i)
        if (!slot_used[i]) { slot_used[i] = 1; return &slot_mem[i]; }
    return NULL;
}
static void slot_give(sn_slot *s) {
    if (s) slot_used[s - slot_mem] = 0;
}

__global__ void k_beam(const float *taps, const unsigned char *noise, float *beam) {
    int i = threadIdx.x;
    beam[i] = taps[i] + (float)noise[i];
}

static sn_err sn_configure(int n_taps, int floor_byte, float gain) {
    if (n_taps < 1 || n_taps > SN_TAPS_MAX || floor_byte < 0 || floor_byte > 255) return SN_EARG;
    g_cfg.n_taps = n_taps;
    g_cfg.floor_byte = floor_byte;
    for (int i = 0; i < SN_TAPS_MAX; ++i) g_cfg.gain[i] = gain * (float)(i + 1);
    g_cfg.generation++;
    return SN_OK;
}

static sn_err sn_build(void) {
    sn_err rc = SN_OK;
    int recording = 0;
    cudaGraph_t graph = NULL;
    sn_slot *s = slot_take();
    if (!s) return SN_ENOSLOT;
    memcpy(s->taps, g_cfg.gain, sizeof s->taps);

    SN_GO(cudaStreamBeginCapture(g_unit.stream, cudaStreamCaptureModeThreadLocal));
    recording = 1;
    SN_GO(cudaMemcpyAsync(g_unit.d_taps, s->taps, sizeof s->taps, cudaMemcpyHostToDevice, g_unit.stream));
    SN_GO(cudaMemsetAsync(g_unit.d_noise, g_cfg.floor_byte, SN_TAPS_MAX, g_unit.stream));
    k_beam<<<1, SN_TAPS_MAX, 0, g_unit.stream>>>(g_unit.d_taps, g_unit.d_noise, g_unit.d_beam);
    SN_GO(cudaGetLastError());
    SN_GO(cudaMemcpyAsync(g_unit.d_track, g_unit.d_beam, sizeof(float) * (size_t)g_cfg.n_taps, cudaMemcpyDeviceToDevice, g_unit.stream));
    recording = 0;
    SN_GO(cudaStreamEndCapture(g_unit.stream, &graph));
    if (g_unit.ping) SN_GO(cudaGraphExecDestroy(g_unit.ping));
    g_unit.ping = NULL;
    SN_GO(cudaGraphInstantiate(&g_unit.ping, graph, 0));
    slot_give(g_unit.taps_slot);
    g_unit.taps_slot = s;
    g_unit.built_generation = g_cfg.generation;
    s = NULL;

cleanup:
    if (recording) (void)cudaStreamEndCapture(g_unit.stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    slot_give(s);
    return rc;
}

static sn_err sn_log_peaks(float level) {
    sn_slot *s = slot_take();
    if (!s) return SN_ENOSLOT;
    for (int i = 0; i < SN_TAPS_MAX; ++i) s->taps[i] = level;
    slot_give(s);
    return SN_OK;
}

static sn_err sn_ping(float *beam_out) {
    sn_err rc = SN_OK;
    if ((!g_unit.ping || g_unit.built_generation != g_cfg.generation) && (rc = sn_build()) != SN_OK) return rc;
    SN_GO(cudaGraphLaunch(g_unit.ping, g_unit.stream));
    SN_GO(cudaMemcpyAsync(beam_out, g_unit.d_track, SN_TAPS_MAX * sizeof(float), cudaMemcpyDeviceToHost, g_unit.stream));
    SN_GO(cudaStreamSynchronize(g_unit.stream));
cleanup:
    return rc;
}

static sn_err sn_open(void) {
    sn_err rc = SN_OK;
    SN_GO(cudaStreamCreateWithFlags(&g_unit.stream, cudaStreamNonBlocking));
    SN_GO(cudaMalloc((void **)&g_unit.d_taps, SN_TAPS_MAX * sizeof(float)));
    SN_GO(cudaMalloc((void **)&g_unit.d_beam, SN_TAPS_MAX * sizeof(float)));
    SN_GO(cudaMalloc((void **)&g_unit.d_noise, SN_TAPS_MAX));
    SN_GO(cudaMalloc((void **)&g_unit.d_track, SN_TAPS_MAX * sizeof(float)));
    SN_GO(cudaMemset(g_unit.d_track, 0, SN_TAPS_MAX * sizeof(float)));
    SN_GO(cudaDeviceSynchronize());
cleanup:
    return rc;
}

static void sn_close(void) {
    if (g_unit.ping) cudaGraphExecDestroy(g_unit.ping);
    slot_give(g_unit.taps_slot);
    cudaFree(g_unit.d_taps);
    cudaFree(g_unit.d_beam);
    cudaFree(g_unit.d_track);
    cudaFree(g_unit.d_noise);
    cudaStreamDestroy(g_unit.stream);
}

int main(void) {
    float a[SN_TAPS_MAX] = {0}, b[SN_TAPS_MAX] = {0}, c[SN_TAPS_MAX] = {0};
    sn_err rc = sn_open();
    if (rc == SN_OK) rc = sn_configure(16, 3, 1.0f);
    if (rc == SN_OK) rc = sn_ping(a);
    if (rc == SN_OK) rc = sn_log_peaks(-50.0f);
    if (rc == SN_OK) rc = sn_ping(b);
    if (rc == SN_OK) rc = sn_configure(48, 9, 2.0f);
    if (rc == SN_OK) rc = sn_ping(c);
    sn_close();
    int ok = rc == SN_OK && a[4] == 8.0f && b[4] == 8.0f && c[4] == 19.0f && c[40] == 91.0f;
    printf("LABEL %s (rc %d: %g %g %g %g)\n", ok ? "CONFIRMED" : "REFUTED", (int)rc, a[4], b[4], c[4], c[40]);
    return 0;
}
