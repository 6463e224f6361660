// mcmc.cu - many independent Metropolis chains on a heavy tailed target, proposal width tuned
// between blocks of sweeps. Everything on one GPU, one stream.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    printf("%s:%d %s\nLABEL WRONG\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

const int CHAINS = 1024;
const int SWEEPS = 8;          // sweeps in a block
const int BLOCKS = 6;
const uint64_t SEED = 20240611;
const double TARGET_RATE = 0.44;

// ---- sampler settings
double   g_width  = 6.0;
uint64_t g_offset = 0;

// ---- device arrays
double*   d_x = nullptr;
double*   d_sum = nullptr;
unsigned* d_accepted = nullptr;
cudaStream_t g_stream;

__host__ __device__ inline uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

__host__ __device__ inline double uniform(uint64_t seed, uint64_t chain, uint64_t counter)
{
    uint64_t bits = mix(mix(seed ^ (chain << 32)) + counter);
    return (double)(bits >> 11) * (1.0 / 9007199254740992.0);
}

// one Metropolis move, density 1 / (1 + x^2)
__host__ __device__ inline bool metropolis(double& x, double width, uint64_t seed, uint64_t chain, uint64_t offset)
{
    double u = uniform(seed, chain, 2 * offset);
    double v = uniform(seed, chain, 2 * offset + 1);
    double y = fma(width, fma(2.0, u, -1.0), x);
    if (v * fma(y, y, 1.0) < fma(x, x, 1.0)) {
        x = y;
        return true;
    }
    return false;
}

__global__ void init_chains(double* x, double* sum)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < CHAINS) {
        x[c] = 0.0;
        sum[c] = 0.0;
    }
}

__global__ void sweep(double* x, double width, uint64_t seed, uint64_t offset, unsigned* accepted)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= CHAINS) return;
    double here = x[c];
    if (metropolis(here, width, seed, c, offset)) atomicAdd(accepted, 1u);
    x[c] = here;
}

__global__ void accumulate(const double* x, double* sum)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < CHAINS) sum[c] += fmin(fmax(x[c], -50.0), 50.0);
}

void enqueue_block(cudaStream_t s)
{
    const int T = 128, B = (CHAINS + T - 1) / T;
    CK(cudaMemsetAsync(d_accepted, 0, sizeof(unsigned), s));
    for (int k = 0; k < SWEEPS; ++k) {
        uint64_t offset = g_offset + k;
        sweep<<<B, T, 0, s>>>(d_x,
                              g_width,           // HAZARD frozen #width
                              SEED, offset,      // HAZARD random #offset
                              d_accepted);
    }
    accumulate<<<B, T, 0, s>>>(d_x, d_sum);
    CK(cudaGetLastError());
}

cudaGraphExec_t compile_block()
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    CK(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal));
    enqueue_block(g_stream);
    CK(cudaStreamEndCapture(g_stream, &g));
    CK(cudaGraphInstantiate(&e, g, 0));
    CK(cudaGraphDestroy(g));
    return e;
}

double tuned(double width, unsigned accepted)
{
    double rate = accepted / double(CHAINS * SWEEPS);
    return rate > TARGET_RATE ? std::min(width * 1.25, 40.0) : std::max(width * 0.8, 0.05);
}

unsigned run_block(cudaGraphExec_t e)
{
    unsigned accepted = 0;
    CK(cudaGraphLaunch(e, g_stream));
    CK(cudaMemcpyAsync(&accepted, d_accepted, sizeof accepted, cudaMemcpyDeviceToHost, g_stream));
    CK(cudaStreamSynchronize(g_stream));
    return accepted;
}

// ---- host version, used to validate
struct HostRun {
    std::vector<double> x = std::vector<double>(CHAINS, 0.0);
    double width = 6.0;
    uint64_t offset = 0;
    bool move_offset, move_width;

    HostRun(bool mo, bool mw) : move_offset(mo), move_width(mw) {}
    void block()
    {
        unsigned accepted = 0;
        for (int k = 0; k < SWEEPS; ++k)
            for (int c = 0; c < CHAINS; ++c) accepted += metropolis(x[c], width, SEED, c, offset + k);
        if (move_offset) offset += SWEEPS;
        if (move_width) width = tuned(width, accepted);
    }
};

bool equal(const HostRun& run, const std::vector<double>& got)
{
    return run.x == got;
}

int main()
{
    CK(cudaStreamCreate(&g_stream));
    CK(cudaMalloc(&d_x, CHAINS * sizeof(double)));
    CK(cudaMalloc(&d_sum, CHAINS * sizeof(double)));
    CK(cudaMalloc(&d_accepted, sizeof(unsigned)));
    init_chains<<<(CHAINS + 127) / 128, 128, 0, g_stream>>>(d_x, d_sum);
    CK(cudaStreamSynchronize(g_stream));

    cudaGraphExec_t e = compile_block();

    HostRun ref(true, true), a(true, false), b(false, true), c(false, false);
    bool first = false, later = true, other = false, explained = true;
    std::vector<double> got(CHAINS);
    for (int blk = 0; blk < BLOCKS; ++blk) {
        unsigned accepted = run_block(e);
        g_width = tuned(g_width, accepted);  // HAZARD frozen #width
        g_offset += SWEEPS;                  // HAZARD random #offset
        CK(cudaMemcpy(got.data(), d_x, CHAINS * sizeof(double), cudaMemcpyDeviceToHost));

        for (HostRun* r : {&ref, &a, &b, &c}) r->block();
        bool same = equal(ref, got);
        if (blk == 0)
            first = same;
        else {
            later = later && same;
            other = other || equal(a, got) || equal(b, got);
        }
        explained = explained && equal(c, got);
        printf("block %d  accepted %u  width %.3f  match %d\n", blk, accepted, g_width, same);
    }
    cudaGraphExecDestroy(e);
    cudaFree(d_x);
    cudaFree(d_sum);
    cudaFree(d_accepted);
    cudaStreamDestroy(g_stream);
    puts(first && !later && !other && explained ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
