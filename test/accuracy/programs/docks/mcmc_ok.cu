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

// ---- sampler settings, page locked
struct Control {
    double   width;
    uint64_t offset;
};
Control* g_ctl = nullptr;

// ---- device arrays
Control*  d_ctl = nullptr;
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

__global__ void sweep(double* x, const Control* ctl, uint64_t seed, uint64_t k, unsigned* accepted)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= CHAINS) return;
    double here = x[c];
    if (metropolis(here, ctl->width, seed, c, ctl->offset + k)) atomicAdd(accepted, 1u);
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
    CK(cudaMemcpyAsync(d_ctl, g_ctl, sizeof(Control), cudaMemcpyHostToDevice, s));
    CK(cudaMemsetAsync(d_accepted, 0, sizeof(unsigned), s));
    for (int k = 0; k < SWEEPS; ++k)
        sweep<<<B, T, 0, s>>>(d_x, d_ctl, SEED, uint64_t(k), d_accepted);
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

    void block()
    {
        unsigned accepted = 0;
        for (int k = 0; k < SWEEPS; ++k)
            for (int c = 0; c < CHAINS; ++c) accepted += metropolis(x[c], width, SEED, c, offset + k);
        offset += SWEEPS;
        width = tuned(width, accepted);
    }
};

bool equal(const HostRun& run, const std::vector<double>& got)
{
    return run.x == got;
}

int main()
{
    CK(cudaStreamCreate(&g_stream));
    CK(cudaMallocHost(&g_ctl, sizeof(Control)));
    *g_ctl = Control{6.0, 0};
    CK(cudaMalloc(&d_ctl, sizeof(Control)));
    CK(cudaMalloc(&d_x, CHAINS * sizeof(double)));
    CK(cudaMalloc(&d_sum, CHAINS * sizeof(double)));
    CK(cudaMalloc(&d_accepted, sizeof(unsigned)));
    init_chains<<<(CHAINS + 127) / 128, 128, 0, g_stream>>>(d_x, d_sum);
    CK(cudaStreamSynchronize(g_stream));

    cudaGraphExec_t e = compile_block();

    HostRun ref;
    bool all = true;
    double total = 0.0, expected_total = 0.0;
    std::vector<double> got(CHAINS);
    for (int blk = 0; blk < BLOCKS; ++blk) {
        unsigned accepted = run_block(e);
        g_ctl->width = tuned(g_ctl->width, accepted);
        g_ctl->offset += SWEEPS;
        CK(cudaMemcpy(got.data(), d_x, CHAINS * sizeof(double), cudaMemcpyDeviceToHost));

        ref.block();
        bool same = equal(ref, got) && ref.width == g_ctl->width;
        all = all && same;
        for (double x : ref.x) expected_total += std::min(std::max(x, -50.0), 50.0);
        printf("block %d  accepted %u  width %.3f  match %d\n", blk, accepted, g_ctl->width, same);
    }
    CK(cudaMemcpy(got.data(), d_sum, CHAINS * sizeof(double), cudaMemcpyDeviceToHost));
    for (double x : got) total += x;
    printf("posterior mean %.5f (%.5f)\n", total / (BLOCKS * CHAINS), expected_total / (BLOCKS * CHAINS));
    all = all && std::fabs(total - expected_total) < 1e-6 * (1.0 + std::fabs(expected_total)) * CHAINS;
    cudaGraphExecDestroy(e);
    cudaFree(d_x);
    cudaFree(d_sum);
    cudaFree(d_accepted);
    cudaFree(d_ctl);
    cudaFreeHost(g_ctl);
    cudaStreamDestroy(g_stream);
    puts(all ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
