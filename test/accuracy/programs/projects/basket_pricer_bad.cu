// basket_pricer: Monte Carlo price of a European call with antithetic paths. Batches are replayed as a graph until the
// standard error is small enough.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace mc {

void verify(cudaError_t rc, const char* expr, int line) {
    if (rc == cudaSuccess) return;
    std::printf("line %d: %s: %s\nLABEL UNOBSERVED\n", line, expr, cudaGetErrorString(rc));
    std::exit(1);
}
#define VERIFY(expr) ::mc::verify((expr), #expr, __LINE__)

struct Contract {
    double spot = 100.0, strike = 105.0, rate = 0.02, vol = 0.25, years = 1.0;
};

constexpr int kThreads = 256;
constexpr int kBlocks = 64;
constexpr int kPathsPerThread = 4;
constexpr unsigned long long kDrawsPerBatch = kPathsPerThread;  // consumed by each subsequence
constexpr double kTick = 1e-6;                                 // payoffs are summed in ticks to be reproducible

__device__ double terminalPayoff(const Contract& c, double z) {
    const double drift = (c.rate - 0.5 * c.vol * c.vol) * c.years;
    const double s = c.spot * exp(drift + c.vol * sqrt(c.years) * z);
    return fmax(s - c.strike, 0.0);
}

__global__ void simulate(Contract c, uint64_t seed, unsigned long long drawOffset, unsigned long long* ticks) {
    const unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, tid, drawOffset, &state);
    unsigned long long local = 0;
    for (int p = 0; p < kPathsPerThread; ++p) {
        const double u = (curand(&state) + 0.5) * 2.3283064365386963e-10;
        const double z = normcdfinv(u);
        const double payoff = 0.5 * (terminalPayoff(c, z) + terminalPayoff(c, -z));
        local += (unsigned long long)llrint(payoff / kTick);
    }
    atomicAdd(ticks, local);
}

class Pricer {
public:
    Pricer(const Contract& c, uint64_t seed) : contract_(c), seed_(seed) {
        VERIFY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        VERIFY(cudaMalloc(&ticks_, sizeof *ticks_));
    }
    ~Pricer() {
        if (exec_) VERIFY(cudaGraphExecDestroy(exec_));
        VERIFY(cudaFree(ticks_));
        VERIFY(cudaStreamDestroy(stream_));
    }

    // Undiscounted sum of payoffs of the next batch, in ticks.
    unsigned long long nextBatch() {
        if (!exec_) capture();
        VERIFY(cudaGraphLaunch(exec_, stream_));
        ++batches_;
        offset_ += kDrawsPerBatch;
        return fetch();
    }

    // The same batch without a graph, for the regression test.
    unsigned long long audit(unsigned long long batch) {
        const unsigned long long start = batch * kDrawsPerBatch;
        VERIFY(cudaMemsetAsync(ticks_, 0, sizeof *ticks_, stream_));
        simulate<<<kBlocks, kThreads, 0, stream_>>>(contract_, seed_, start, ticks_);
        VERIFY(cudaGetLastError());
        return fetch();
    }

    double price(double sumTicks) const {
        const double paths = double(batches_) * kBlocks * kThreads * kPathsPerThread;
        return std::exp(-contract_.rate * contract_.years) * sumTicks * kTick / paths;
    }

private:
    void capture() {
        cudaGraph_t g = nullptr;
        VERIFY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        VERIFY(cudaMemsetAsync(ticks_, 0, sizeof *ticks_, stream_));
        simulate<<<kBlocks, kThreads, 0, stream_>>>(contract_, seed_, offset_, ticks_);  // HAZARD random
        VERIFY(cudaGetLastError());
        VERIFY(cudaStreamEndCapture(stream_, &g));
        VERIFY(cudaGraphInstantiate(&exec_, g, 0));
        VERIFY(cudaGraphDestroy(g));
    }

    unsigned long long fetch() {
        unsigned long long host = 0;
        VERIFY(cudaMemcpyAsync(&host, ticks_, sizeof host, cudaMemcpyDeviceToHost, stream_));
        VERIFY(cudaStreamSynchronize(stream_));
        return host;
    }

    Contract contract_;
    uint64_t seed_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    unsigned long long* ticks_ = nullptr;
    unsigned long long offset_ = 0;  // first draw of the next batch
    unsigned long long batches_ = 0;
};

double blackScholes(const Contract& c) {
    const double sd = c.vol * std::sqrt(c.years);
    const double d1 = (std::log(c.spot / c.strike) + (c.rate + 0.5 * c.vol * c.vol) * c.years) / sd;
    auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    return c.spot * cdf(d1) - c.strike * std::exp(-c.rate * c.years) * cdf(d1 - sd);
}

}  // namespace mc

int main() {
    const mc::Contract contract;
    constexpr int kBatches = 12;
    int mismatches = 0;
    double sum = 0.0, price = 0.0;
    {
        mc::Pricer pricer(contract, 20240611ull);
        std::vector<unsigned long long> batch;
        for (int b = 0; b < kBatches; ++b) {
            batch.push_back(pricer.nextBatch());
            sum += double(batch.back());
        }
        price = pricer.price(sum);
        for (int b = 0; b < kBatches; ++b)
            if (pricer.audit(b) != batch[b]) ++mismatches;
    }
    const double exact = mc::blackScholes(contract);
    std::printf("price %.4f, closed form %.4f, batches that differ from the audit: %d\n", price, exact, mismatches);
    const bool close = std::fabs(price - exact) < 0.5;
    std::printf("%s\n", mismatches > 0 || !close ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
