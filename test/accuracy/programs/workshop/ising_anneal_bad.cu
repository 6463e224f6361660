// Simulated annealing of a 2-D Ising model, checkerboard updates. Lab script: change the defines, rerun.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define L 64
#define NSITES (L * L)
#define NSWEEPS 10
#define BLK 128
#define GRID ((NSITES / 2 + BLK - 1) / BLK)
#define CK(x)                                                                                \
    do {                                                                                     \
        cudaError_t e_ = (x);                                                                \
        if (e_ != cudaSuccess) {                                                             \
            printf("line %d: %s\nLABEL UNOBSERVED\n", __LINE__, cudaGetErrorString(e_));     \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

struct trace_t {
    uint32_t draw; // random number of site 0
    uint32_t t4;   // acceptance threshold that was applied
};

int8_t g_spin[NSITES], g_copy[NSITES];
uint32_t g_thr[NSWEEPS][2]; // acceptance of dE = 4 and dE = 8, scaled to 2^32
trace_t g_trace;
int g_bad_spin, g_bad_draw, g_bad_thr;

__host__ __device__ inline uint32_t draw(uint32_t seed, uint32_t site) {
    uint32_t h = seed * 0x9E3779B9u ^ (site + 1u) * 0x85EBCA6Bu;
    h ^= h >> 16;
    h *= 0x7FEB352Du;
    h ^= h >> 15;
    h *= 0x846CA68Bu;
    return h ^ (h >> 16);
}

__host__ __device__ inline int8_t flip(const int8_t* s, int site, uint32_t u, uint32_t t4, uint32_t t8) {
    int x = site % L, y = site / L;
    int nb = s[y * L + (x + 1) % L] + s[y * L + (x + L - 1) % L] + s[((y + 1) % L) * L + x] + s[((y + L - 1) % L) * L + x];
    int de = 2 * s[site] * nb;
    bool take = de <= 0 || (de == 4 && u < t4) || (de == 8 && u < t8);
    return take ? -s[site] : s[site];
}

__global__ void sweep(int8_t* s, int color, uint32_t seed, uint32_t t4, uint32_t t8, trace_t* tr) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= NSITES / 2) return;
    int y = k / (L / 2), x = 2 * (k % (L / 2)) + ((y + color) & 1);
    int site = y * L + x;
    uint32_t u = draw(seed, site);
    s[site] = flip(s, site, u, t4, t8);
    if (site == 0) *tr = trace_t{u, t4};
}

void run_experiment(uint32_t seed0) {
    int8_t* d_spin;
    trace_t* d_trace;
    cudaStream_t st;
    cudaGraph_t g;
    cudaGraphExec_t ge = nullptr;

    // cooling schedule: T from 4.0 down to 1.3
    for (int i = 0; i < NSWEEPS; i++) {
        double T = 4.0 - 2.7 * i / (NSWEEPS - 1);
        g_thr[i][0] = (uint32_t)(exp(-4.0 / T) * 4294967295.0);
        g_thr[i][1] = (uint32_t)(exp(-8.0 / T) * 4294967295.0);
    }
    for (int i = 0; i < NSITES; i++) g_spin[i] = draw(seed0 ^ 0xABCDEFu, i) & 1 ? 1 : -1;

    CK(cudaStreamCreate(&st));
    CK(cudaMalloc(&d_spin, NSITES));
    CK(cudaMalloc(&d_trace, sizeof(trace_t)));
    CK(cudaMemcpy(d_spin, g_spin, NSITES, cudaMemcpyHostToDevice));

    for (int step = 0; step < NSWEEPS; step++) {
        // --- GPU: one sweep = black half + white half
        if (!ge) {
            CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
            for (int color = 0; color < 2; color++) {
                sweep<<<GRID, BLK, 0, st>>>(d_spin, color,
                                            seed0 + step,                              // HAZARD random
                                            g_thr[step][0], g_thr[step][1], d_trace);  // HAZARD frozen
                CK(cudaGetLastError());
            }
            CK(cudaStreamEndCapture(st, &g));
            CK(cudaGraphInstantiate(&ge, g, 0));
            CK(cudaGraphDestroy(g));
        }
        CK(cudaGraphLaunch(ge, st));
        CK(cudaMemcpyAsync(g_copy, d_spin, NSITES, cudaMemcpyDeviceToHost, st));
        CK(cudaMemcpyAsync(&g_trace, d_trace, sizeof(trace_t), cudaMemcpyDeviceToHost, st));
        CK(cudaStreamSynchronize(st));

        // --- CPU reference of the same sweep
        for (int color = 0; color < 2; color++)
            for (int y = 0; y < L; y++)
                for (int x = (y + color) & 1; x < L; x += 2) {
                    int site = y * L + x;
                    g_spin[site] = flip(g_spin, site, draw(seed0 + step, site), g_thr[step][0], g_thr[step][1]);
                }
        int m = 0, diff = 0;
        for (int i = 0; i < NSITES; i++) m += g_copy[i], diff += g_copy[i] != g_spin[i];
        g_bad_spin += diff;
        g_bad_draw += g_trace.draw != draw(seed0 + step, 0);
        g_bad_thr += g_trace.t4 != g_thr[step][0];
        printf("sweep %2d  m = %+.4f  differing spins %d\n", step, (double)m / NSITES, diff);
    }

    CK(cudaGraphExecDestroy(ge));
    CK(cudaFree(d_spin));
    CK(cudaFree(d_trace));
    CK(cudaStreamDestroy(st));
}

int main() {
    run_experiment(20240u);
    bool confirmed = g_bad_spin > 0 && g_bad_draw > 0 && g_bad_thr > 0;
    puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
