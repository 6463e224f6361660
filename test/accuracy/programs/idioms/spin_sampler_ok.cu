// Metropolis sampling of the 2D Ising model, checkerboard updates. The script for figure 3 of the notes.
// Usage: no arguments, change the macros.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define L 64
#define N (L * L)
#define BETA 0.35
#define SEED 20240517u
#define SWEEPS 4   // sweeps per graph launch
#define LAUNCHES 12
#define BX 128
#define CK(call)                                                                    \
    do {                                                                            \
        cudaError_t e_ = (call);                                                    \
        if (e_ != cudaSuccess) {                                                    \
            printf("line %d: %s\nLABEL UNOBSERVED\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

__constant__ unsigned c_accept[5];   // acceptance thresholds for s*sum(neighbours) = -4, -2, 0, 2, 4
unsigned h_accept[5];

signed char h_spin[N], ref_spin[N];
signed char *d_spin;
int *d_mag, *h_mag;
int mag_log[LAUNCHES + 4], n_log;
unsigned *d_step;   // Monte Carlo time, lives on the device

__host__ __device__ unsigned draw(unsigned seed, unsigned step, unsigned site) {
    unsigned x = seed ^ (step * 0x9E3779B9u) ^ (site * 0x85EBCA6Bu);
    x ^= x >> 16; x *= 0x7FEB352Du;
    x ^= x >> 15; x *= 0x846CA68Bu;
    return x ^ (x >> 16);
}

__host__ __device__ signed char updated(const signed char *s, int x, int y, unsigned r, const unsigned *accept) {
    int here = s[y * L + x];
    int nb = s[y * L + (x + 1) % L] + s[y * L + (x + L - 1) % L] + s[((y + 1) % L) * L + x] + s[((y + L - 1) % L) * L + x];
    return r <= accept[(here * nb + 4) / 2] ? -here : here;
}

__global__ void half_sweep(signed char *s, int parity, unsigned seed, const unsigned *step0, unsigned k) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= N / 2) return;
    unsigned step = *step0 + k;
    int y = t / (L / 2), x = 2 * (t % (L / 2)) + ((y + parity) & 1);
    s[y * L + x] = updated(s, x, y, draw(seed, step, y * L + x), c_accept);
}

__global__ void advance(unsigned *step0, unsigned by) { *step0 += by; }

__global__ void magnetization(const signed char *s, int *mag) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < N) atomicAdd(mag, (int)s[t]);
}

int main() {
    cudaStream_t st;
    cudaGraph_t g;
    cudaGraphExec_t ge;

    // --- setup
    CK(cudaStreamCreate(&st));
    CK(cudaMalloc(&d_spin, N));
    CK(cudaMalloc(&d_mag, sizeof(int)));
    CK(cudaMalloc(&d_step, sizeof(unsigned)));
    CK(cudaMallocHost(&h_mag, sizeof(int)));
    *h_mag = 0;
    for (int i = 0; i < 5; i++) {
        double p = exp(-2.0 * BETA * (2 * i - 4));
        h_accept[i] = p >= 1.0 ? 0xFFFFFFFFu : (unsigned)(p * 4294967295.0);
    }
    for (int i = 0; i < N; i++) h_spin[i] = draw(SEED, 999999u, i) & 1 ? 1 : -1;
    memcpy(ref_spin, h_spin, N);
    CK(cudaMemcpyToSymbol(c_accept, h_accept, sizeof h_accept));
    CK(cudaMemcpy(d_spin, h_spin, N, cudaMemcpyHostToDevice));
    CK(cudaMemset(d_step, 0, sizeof(unsigned)));
    CK(cudaDeviceSynchronize());

    // --- one launch = SWEEPS sweeps and one measurement
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    for (unsigned k = 0; k < SWEEPS; k++) {
        half_sweep<<<N / 2 / BX, BX, 0, st>>>(d_spin, 0, SEED, d_step, k);
        half_sweep<<<N / 2 / BX, BX, 0, st>>>(d_spin, 1, SEED, d_step, k);
    }
    advance<<<1, 1, 0, st>>>(d_step, SWEEPS);
    CK(cudaMemsetAsync(d_mag, 0, sizeof(int), st));
    magnetization<<<N / BX, BX, 0, st>>>(d_spin, d_mag);
    CK(cudaMemcpyAsync(h_mag, d_mag, sizeof(int), cudaMemcpyDeviceToHost, st));
    CK(cudaGetLastError());
    CK(cudaStreamEndCapture(st, &g));
    CK(cudaGraphInstantiate(&ge, g, 0));

    // --- run
    for (int i = 0; i < LAUNCHES; i++) {
        CK(cudaGraphLaunch(ge, st));
        CK(cudaStreamSynchronize(st));
        mag_log[n_log++] = *h_mag;
    }
    CK(cudaMemcpy(h_spin, d_spin, N, cudaMemcpyDeviceToHost));

    // --- the same chain on the CPU
    int bad_log = n_log != LAUNCHES;
    for (unsigned step = 0; step < SWEEPS * LAUNCHES; step++) {
        for (int parity = 0; parity < 2; parity++)
            for (int t = 0; t < N / 2; t++) {
                int y = t / (L / 2), x = 2 * (t % (L / 2)) + ((y + parity) & 1);
                ref_spin[y * L + x] = updated(ref_spin, x, y, draw(SEED, step, y * L + x), h_accept);
            }
        if (step % SWEEPS == SWEEPS - 1) {
            int m = 0;
            for (int i = 0; i < N; i++) m += ref_spin[i];
            if (mag_log[step / SWEEPS] != m) bad_log++;
        }
    }
    int differ = 0;
    for (int i = 0; i < N; i++) differ += h_spin[i] != ref_spin[i];
    printf("spins that differ: %d, log entries %d, wrong %d\n", differ, n_log, bad_log);

    CK(cudaGraphExecDestroy(ge));
    CK(cudaGraphDestroy(g));
    CK(cudaFree(d_spin));
    CK(cudaFree(d_mag));
    CK(cudaFree(d_step));
    CK(cudaFreeHost(h_mag));
    CK(cudaStreamDestroy(st));
    printf(differ == 0 && bad_log == 0 ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
