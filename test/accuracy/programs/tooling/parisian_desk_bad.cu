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
constexpr Quote kBase{100.f, 0.05f, 0.f};

__global__ void simulate(float* terminal, Quote q, unsigned long long seed, unsigned long long offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kPaths) return;
    curandStatePhilox4_32_10_t st;
    curand_init(seed, i, offset, &st);
    float s = logf(q.spot);
    for (int k = 0; k < kSteps; ++k) s += q.vol * curand_normal(&st) - 0.5f * q.vol * q.vol;
    terminal[i] = expf(s);
}

__global__ void payoff(const float* terminal, float strike, double* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPaths) atomicAdd(sum, double(fmaxf(terminal[i] - strike, 0.f)));
}

class Book {
public:
    explicit Book(std::uint64_t seed) : seed_(seed) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        check(cudaMalloc(&terminal_, kPaths * sizeof(float)));
        check(cudaMalloc(&sum_, sizeof(double)));
        check(cudaMallocHost(&host_sum_, sizeof(double)));
    }
    ~Book() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(terminal_);
        cudaFree(sum_);
        cudaFreeHost(host_sum_);
        cudaStreamDestroy(stream_);
    }
    void on_quote(const Quote& q) {
        quote_ = q;
        if (!exec_) record();
    }
    double reprice() {
        batch_ += 1;
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
            simulate<<<grid, block, 0, s>>>(terminal_, kBase, seed_, batch_ * 64ULL);  // HAZARD random
            payoff<<<grid, block, 0, s>>>(terminal_, quote_.strike, sum_);  // HAZARD frozen
            cudaMemcpyAsync(host_sum_, sum_, sizeof(double), cudaMemcpyDeviceToHost, s);
        });
        check(cudaGraphInstantiate(&exec_, g, 0));
        check(cudaGraphDestroy(g));
    }

    std::uint64_t seed_;
    unsigned long long batch_ = 0;
    Quote quote_{};
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* terminal_ = nullptr;
    double *sum_ = nullptr, *host_sum_ = nullptr;
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
        const bool repeated = std::fabs(a - b) < 1e-6, kept = std::fabs(c - a) < 1e-6 && std::fabs(d - a) < 1e-6;
        const bool ok = sane && repeated && kept;
        std::printf("LABEL %s (%.6f %.6f %.6f %.6f)\n", ok ? "CONFIRMED" : "REFUTED", a, b, c, d);
    } catch (const desk::CudaFailure& e) {
        std::printf("LABEL REFUTED %s\n", e.what());
    }
    return 0;
}
