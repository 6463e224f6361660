// Checkerboard Metropolis for the 2d Ising model, temperature scan.
// One graph = one full lattice sweep. Counter based RNG so that runs can be compared bit for bit with the CPU.
#include <cuda_runtime.h>
#include <curand.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(x) if (cudaError_t e_ = (x)) { printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_)); g_failed = true; }

const int L = 64, N = L * L;
const int NSWEEP = 60, MEASURE_EVERY = 6;
const uint64_t SEED = 20240611;

bool g_failed = false;
int g_sweep = 0;
int8_t* g_spin;
int* g_nmeas;
unsigned long long* g_m2;   // sum over measurements of |M|, one term per block row
cudaStream_t g_stream;
cudaGraphExec_t g_exec;

__constant__ uint32_t c_accept[3];   // acceptance thresholds for dE = 0, 4, 8

__host__ __device__ inline uint32_t rnd(uint64_t seed, uint32_t sweep, uint32_t site)
{
    uint64_t z = seed + 0x9e3779b97f4a7c15ull * ((uint64_t)sweep * N + site + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

__host__ __device__ inline bool flips(const int8_t* s, int x, int y, uint32_t r, const uint32_t* accept)
{
    int nn = s[y * L + (x + 1) % L] + s[y * L + (x + L - 1) % L] + s[((y + 1) % L) * L + x] + s[((y + L - 1) % L) * L + x];
    int dE = 2 * s[y * L + x] * nn;
    return dE < 0 || r < accept[dE / 4];
}

__global__ void cold_or_hot(int8_t* spin, const unsigned int* bits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) spin[i] = (bits[i] & 1) ? 1 : -1;
}

__global__ void metropolis(int8_t* spin, int color, uint64_t seed, int sweep)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i % L, y = i / L;
    if (i >= N || ((x + y) & 1) != color) return;
    if (flips(spin, x, y, rnd(seed, sweep, i), c_accept)) spin[i] = -spin[i];
}

__global__ void measure(const int8_t* spin, unsigned long long* m, int* count)
{
    int row = threadIdx.x, sum = 0;
    for (int x = 0; x < L; ++x) sum += spin[row * L + x];
    atomicAdd(m, (unsigned long long)(sum < 0 ? -sum : sum));
    if (row == 0) atomicAdd(count, 1);
}

void capture_sweep()
{
    cudaGraph_t graph;
    CK(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal));
    metropolis<<<N / 128, 128, 0, g_stream>>>(g_spin, 0, SEED, g_sweep); // HAZARD random #rng
    metropolis<<<N / 128, 128, 0, g_stream>>>(g_spin, 1, SEED, g_sweep); // HAZARD random #rng
    if (g_sweep % MEASURE_EVERY == 0) // HAZARD host_logic #measure
        measure<<<1, L, 0, g_stream>>>(g_spin, g_m2, g_nmeas); // HAZARD host_logic #measure
    CK(cudaGetLastError());
    CK(cudaStreamEndCapture(g_stream, &graph));
    CK(cudaGraphInstantiate(&g_exec, graph, 0));
    CK(cudaGraphDestroy(graph));
}

void reset(const unsigned int* d_bits, const uint32_t* accept)
{
    CK(cudaMemcpyToSymbolAsync(c_accept, accept, 3 * sizeof(uint32_t), 0, cudaMemcpyHostToDevice, g_stream));
    CK(cudaMemsetAsync(g_nmeas, 0, sizeof(int), g_stream));
    CK(cudaMemsetAsync(g_m2, 0, sizeof(unsigned long long), g_stream));
    cold_or_hot<<<N / 128, 128, 0, g_stream>>>(g_spin, d_bits);
    CK(cudaGetLastError());
}

int main()
{
    unsigned int* d_bits;
    CK(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
    CK(cudaMalloc(&g_spin, N));
    CK(cudaMalloc(&g_nmeas, sizeof(int)));
    CK(cudaMalloc(&g_m2, sizeof(unsigned long long)));
    CK(cudaMalloc(&d_bits, N * sizeof(unsigned int)));
    if (g_failed) { printf("LABEL UNOBSERVED\n"); return 1; }

    // hot start, the same for every temperature
    curandGenerator_t gen;
    bool rng_ok = curandCreateGenerator(&gen, CURAND_RNG_PSEUDO_PHILOX4_32_10) == CURAND_STATUS_SUCCESS;
    rng_ok = rng_ok && curandSetStream(gen, g_stream) == CURAND_STATUS_SUCCESS;
    rng_ok = rng_ok && curandSetPseudoRandomGeneratorSeed(gen, SEED) == CURAND_STATUS_SUCCESS;
    rng_ok = rng_ok && curandGenerate(gen, d_bits, N) == CURAND_STATUS_SUCCESS;
    if (!rng_ok) { printf("curand failed\nLABEL UNOBSERVED\n"); return 1; }
    std::vector<unsigned int> bits(N);
    CK(cudaMemcpyAsync(bits.data(), d_bits, N * sizeof(unsigned int), cudaMemcpyDeviceToHost, g_stream));
    CK(cudaStreamSynchronize(g_stream));

    const double temps[] = { 1.8, 2.27, 3.2 };
    int wrong = 0;
    for (double T : temps) {
        uint32_t accept[3];
        for (int k = 0; k < 3; ++k) accept[k] = (uint32_t)(4294967295.0 * exp(-4.0 * k / T));
        reset(d_bits, accept);
        CK(cudaStreamSynchronize(g_stream));

        g_sweep = 0;
        capture_sweep();
        for (g_sweep = 0; g_sweep < NSWEEP && !g_failed; ++g_sweep)
            CK(cudaGraphLaunch(g_exec, g_stream));
        std::vector<int8_t> spin(N);
        int nmeas = 0;
        unsigned long long m = 0;
        CK(cudaMemcpyAsync(spin.data(), g_spin, N, cudaMemcpyDeviceToHost, g_stream));
        CK(cudaMemcpyAsync(&nmeas, g_nmeas, sizeof nmeas, cudaMemcpyDeviceToHost, g_stream));
        CK(cudaMemcpyAsync(&m, g_m2, sizeof m, cudaMemcpyDeviceToHost, g_stream));
        CK(cudaStreamSynchronize(g_stream));
        CK(cudaGraphExecDestroy(g_exec));
        if (g_failed) break;

        // the same chain on the CPU
        std::vector<int8_t> ref(N);
        unsigned long long mref = 0;
        int nref = 0, diff = 0;
        for (int i = 0; i < N; ++i) ref[i] = (bits[i] & 1) ? 1 : -1;
        for (int s = 0; s < NSWEEP; ++s) {
            for (int c = 0; c < 2; ++c)
                for (int i = 0; i < N; ++i)
                    if (((i % L + i / L) & 1) == c && flips(ref.data(), i % L, i / L, rnd(SEED, s, i), accept))
                        ref[i] = -ref[i];
            if (s % MEASURE_EVERY) continue;
            ++nref;
            for (int y = 0; y < L; ++y) {
                int sum = 0;
                for (int x = 0; x < L; ++x) sum += ref[y * L + x];
                mref += std::abs(sum);
            }
        }
        for (int i = 0; i < N; ++i) diff += spin[i] != ref[i];
        printf("T=%.2f |m|=%.4f ref %.4f  measurements %d/%d  spins off %d\n", T, nmeas ? (double)m / nmeas / N : 0.0,
               (double)mref / nref / N, nmeas, nref, diff);
        wrong += diff + (nmeas != nref) + (m != mref);
    }
    curandDestroyGenerator(gen);
    CK(cudaFree(g_spin)); CK(cudaFree(g_nmeas)); CK(cudaFree(g_m2)); CK(cudaFree(d_bits));
    CK(cudaStreamDestroy(g_stream));
    printf(g_failed || wrong ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
