// Metropolis sampling of a one-dimensional Ising chain. A checkerboard sweep is captured once; the annealing schedule
// lowers the temperature from sweep to sweep.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define TRY(call)                                                                                             \
    do {                                                                                                      \
        const cudaError_t tryRc = (call);                                                                     \
        if (tryRc != cudaSuccess) throw std::runtime_error(std::string(#call ": ") + cudaGetErrorName(tryRc)); \
    } while (0)

constexpr int kSites = 4096;
constexpr int kThreads = 128;

__host__ __device__ inline std::uint32_t noise(std::uint32_t sweep, std::uint32_t site) {
    std::uint32_t x = sweep * 0x9E3779B9u + site * 0x85EBCA6Bu + 1u;
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    return x ^ (x >> 16);
}

__host__ __device__ inline int updatedSpin(const int* spins, int site, std::uint32_t accept, std::uint32_t sweep) {
    const int s = spins[site];
    const int sum = spins[(site + kSites - 1) % kSites] + spins[(site + 1) % kSites];
    const bool flip = s * sum <= 0 || noise(sweep, std::uint32_t(site)) < accept;
    return flip ? -s : s;
}

__global__ void flipSublattice(int* spins, int parity, std::uint32_t accept, std::uint32_t sweep) {
    const int site = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
    if (site < kSites) spins[site] = updatedSpin(spins, site, accept, sweep);
}

inline std::uint32_t acceptance(double beta) { return std::uint32_t(std::exp(-4.0 * beta) * 4294967295.0); }

class ChainSampler {
public:
    explicit ChainSampler(const std::vector<int>& spins) {
        TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        TRY(cudaMalloc(&spins_, kSites * sizeof(int)));
        TRY(cudaMemcpyAsync(spins_, spins.data(), kSites * sizeof(int), cudaMemcpyHostToDevice, stream_));
        TRY(cudaStreamSynchronize(stream_));
        TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        enqueueSweep();
        TRY(cudaStreamEndCapture(stream_, &graph_));
        TRY(cudaGraphInstantiate(&exec_, graph_, 0));
    }
    ~ChainSampler() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
        cudaFree(spins_);
        cudaStreamDestroy(stream_);
    }

    void anneal(double beta) {
        accept_ = acceptance(beta);  // HAZARD frozen #beta
    }

    void sweep() { TRY(cudaGraphLaunch(exec_, stream_)); }

    std::vector<int> spins() const {
        std::vector<int> out(kSites);
        TRY(cudaMemcpyAsync(out.data(), spins_, kSites * sizeof(int), cudaMemcpyDeviceToHost, stream_));
        TRY(cudaStreamSynchronize(stream_));
        return out;
    }

private:
    void enqueueSweep() {
        ++sweep_;  // HAZARD host_logic #sweep
        for (int parity = 0; parity < 2; ++parity) {
            flipSublattice<<<kSites / 2 / kThreads, kThreads, 0, stream_>>>(spins_, parity, accept_, sweep_);  // HAZARD frozen #beta
        }
        TRY(cudaGetLastError());
    }

    cudaStream_t stream_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int* spins_ = nullptr;
    std::uint32_t accept_ = acceptance(0.1);
    std::uint32_t sweep_ = 0;
};

static void referenceSweep(std::vector<int>& spins, std::uint32_t accept, std::uint32_t sweep) {
    for (int parity = 0; parity < 2; ++parity) {
        for (int site = parity; site < kSites; site += 2) spins[site] = updatedSpin(spins.data(), site, accept, sweep);
    }
}

int main() {
    try {
        std::vector<int> start(kSites);
        for (int i = 0; i < kSites; ++i) start[i] = noise(0, std::uint32_t(i)) & 1u ? 1 : -1;
        ChainSampler sampler(start);
        std::vector<int> expected = start;  // beta and sweep number advance
        std::vector<int> stuck = start;     // both stay at their first values
        int differs = 0, asStuck = 0;
        for (int k = 1; k <= 6; ++k) {
            const double beta = 0.1 * double(k);
            sampler.anneal(beta);
            sampler.sweep();
            referenceSweep(expected, acceptance(beta), std::uint32_t(k));
            referenceSweep(stuck, acceptance(0.1), 1u);
            const auto got = sampler.spins();
            differs += got != expected;
            asStuck += got == stuck;
        }
        std::printf("of 6 sweeps %d differ from the schedule, %d repeat the first one\n", differs, asStuck);
        if (differs == 5 && asStuck == 6) {
            std::puts("LABEL CONFIRMED");
            return 0;
        }
        std::puts("LABEL NOT CONFIRMED: unexpected chain");
    } catch (const std::exception& e) {
        std::printf("LABEL NOT CONFIRMED: %s\n", e.what());
    }
    return 1;
}
