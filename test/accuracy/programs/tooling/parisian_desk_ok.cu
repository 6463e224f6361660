#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <utility>

namespace desk {

struct CudaFailure : std::runtime_error {
    cudaError_t code;
    explicit CudaFailure(cudaError_t c) : std::runtime_error(cudaGetErrorString(c)), code(c) {}
};
inline void check(cudaError_t c) { if (c != cudaSuccess) throw CudaFailure(c); }

constexpr int kPaths = 8192, kSteps = 8;

struct Quote { float spot, vol, strike; };

struct Market {
    Quote quote;
    unsigned long long sequence;
};

__global__ void simulate(float* terminal, const Market* mk, unsigned long long seed) {
    const Quote q = mk->quote;
    const unsigned long long offset = mk->sequence * 64ULL;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kPaths) return;
    curandStatePhilox4_32_10_t st;
    curand_init(seed, i, offset, &st);
    float s = logf(q.spot);
    for (int k = 0; k < kSteps; ++k) s += q.vol * curand_normal(&st) - 0.5f * q.vol * q.vol;
    terminal[i] = expf(s);
}

__global__ void payoff(const float* terminal, const Market* mk, double* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPaths) atomicAdd(sum, double(fmaxf(terminal[i] - mk->quote.strike, 0.f)));
}

__global__ void advance(Market* mk) { ++mk->sequence; }

class Book {
public:
    explicit Book(std::uint64_t seed) : seed_(seed) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        check(cudaMalloc(&terminal_, kPaths * sizeof(float)));
        check(cudaMalloc(&sum_, sizeof(double)));
        check(cudaMallocHost(&host_sum_, sizeof(double)));
        check(cudaMalloc(&market_, sizeof(Market)));
        check(cudaMemset(market_, 0, sizeof(Market)));
        check(cudaDeviceSynchronize());
    }
    ~Book() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(market_);
        cudaFree(terminal_);
        cudaFree(sum_);
        cudaFreeHost(host_sum_);
        cudaStreamDestroy(stream_);
    }
    void on_quote(const Quote& q) {
        quote_ = q;
        check(cudaMemcpyAsync(&market_->quote, &quote_, sizeof(Quote), cudaMemcpyHostToDevice, stream_));
        check(cudaStreamSynchronize(stream_));
        if (!exec_) record();
    }
    double reprice() {
        check(cudaGraphLaunch(exec_, stream_));
        check(cudaStreamSynchronize(stream_));
        return *host_sum_ / kPaths;
    }

private:
    template <class Body> cudaGraph_t capture(Body&& body) {
        cudaGraph_t g = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        std::forward<Body>(body)(stream_);
        check(cudaStreamEndCapture(stream_, &g));
        return g;
    }
    void record() {
        const dim3 grid(kPaths / 256), block(256);
        cudaGraph_t g = capture([&](cudaStream_t s) {
            cudaMemsetAsync(sum_, 0, sizeof(double), s);
            simulate<<<grid, block, 0, s>>>(terminal_, market_, seed_);
            payoff<<<grid, block, 0, s>>>(terminal_, market_, sum_);
            advance<<<1, 1, 0, s>>>(market_);
            cudaMemcpyAsync(host_sum_, sum_, sizeof(double), cudaMemcpyDeviceToHost, s);
        });
        check(cudaGraphInstantiate(&exec_, g, 0));
        check(cudaGraphDestroy(g));
    }

    std::uint64_t seed_;
    Quote quote_{};
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* terminal_ = nullptr;
    double *sum_ = nullptr, *host_sum_ = nullptr;
    Market* market_ = nullptr;
};

}  // namespace desk

int main() {
    try {
        desk::Book book(20260115u);
        book.on_quote({100.f, 0.05f, 100.f});
        const double a = book.reprice(), b = book.reprice();
        book.on_quote({100.f, 0.05f, 1.0e6f});
        const double c = book.reprice();
        book.on_quote({100.f, 0.05f, 100.f});
        const double d = book.reprice();
        const bool sane = a > 4.5 && a < 7.0 && b > 4.5 && b < 7.0;
        const bool fresh = std::fabs(a - b) > 1e-5 && std::fabs(d - b) > 1e-5;
        const bool ok = sane && fresh && c == 0.0 && d > 4.5 && d < 7.0;
        std::printf("LABEL %s (%.6f %.6f %.6f %.6f)\n", ok ? "CONFIRMED" : "REFUTED", a, b, c, d);
    } catch (const desk::CudaFailure& e) {
        std::printf("LABEL REFUTED %s\n", e.what());
    }
    return 0;
}
