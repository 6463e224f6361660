// Bootstrap resampling of clinical measurements with exchangeable random engines and statistics.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cstdio>
#include <utility>
#include <vector>

namespace boot {

using offset_t = unsigned long long;

// ---- engine policy ----------------------------------------------------------------------------------------------
struct philox_engine {
    using state = curandStatePhilox4_32_10_t;
    __device__ static void seed(unsigned long long key, int lane, offset_t offset, state* s) {
        curand_init(key, lane, offset, s);
    }
    __device__ static unsigned next(state* s) { return curand(s); }
};

// ---- statistic policies -----------------------------------------------------------------------------------------
struct sum_statistic {
    __device__ static long long start() { return 0; }
    __device__ static long long fold(long long acc, int v) { return acc + v; }
};

template <class Engine, class Statistic>
__device__ long long resample(const int* data, int n, unsigned long long key, int lane, offset_t offset) {
    typename Engine::state s;
    Engine::seed(key, lane, offset, &s);
    long long acc = Statistic::start();
    for (int d = 0; d < n; ++d) acc = Statistic::fold(acc, data[Engine::next(&s) % n]);
    return acc;
}

template <class Engine, class Statistic>
__global__ void replicate(const int* data, int n, unsigned long long key, offset_t offset, long long* out) {
    const int lane = blockIdx.x * blockDim.x + threadIdx.x;
    out[lane] = resample<Engine, Statistic>(data, n, key, lane, offset);
}

template <class Engine, class Statistic>
__global__ void replicateFrom(const int* data, int n, unsigned long long key, const offset_t* offset, long long* out) {
    const int lane = blockIdx.x * blockDim.x + threadIdx.x;
    out[lane] = resample<Engine, Statistic>(data, n, key, lane, *offset);
}

__global__ void advanceOffset(offset_t* offset, offset_t draws) { *offset += draws; }

// ---- error policy -----------------------------------------------------------------------------------------------
class error_latch {
public:
    bool operator()(cudaError_t rc) {
        if (rc != cudaSuccess && first_ == cudaSuccess) first_ = rc;
        return rc == cudaSuccess;
    }
    bool clean() const { return first_ == cudaSuccess; }
    const char* name() const { return cudaGetErrorName(first_); }

private:
    cudaError_t first_ = cudaSuccess;
};

template <class Engine, class Statistic, int Replicates>
class bootstrapper {
public:
    bootstrapper(unsigned long long key, error_latch& err) : key_(key), err_(err) {
        err_(cudaStreamCreate(&stream_));
        err_(cudaMalloc(&out_, Replicates * sizeof(long long)));
        err_(cudaMalloc(&offset_, sizeof(offset_t)));
        err_(cudaMemset(offset_, 0, sizeof(offset_t)));
    }
    ~bootstrapper() {
        if (exec_) err_(cudaGraphExecDestroy(exec_));
        err_(cudaFree(out_));
        err_(cudaFree(offset_));
        err_(cudaStreamDestroy(stream_));
    }
    bootstrapper(const bootstrapper&) = delete;
    bootstrapper& operator=(const bootstrapper&) = delete;

    void bind(const int* data, int n) {
        if (!err_(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal))) return;
        launch(data, n);
        err_(cudaGetLastError());
        cudaGraph_t graph = nullptr;
        if (!err_(cudaStreamEndCapture(stream_, &graph))) return;
        err_(cudaGraphInstantiate(&exec_, graph, 0));
        err_(cudaGraphDestroy(graph));
    }
    std::vector<long long> round() {
        std::vector<long long> result(Replicates, -1);
        if (!exec_ || !err_(cudaGraphLaunch(exec_, stream_)) || !err_(cudaStreamSynchronize(stream_))) return result;
        err_(cudaMemcpy(result.data(), out_, Replicates * sizeof(long long), cudaMemcpyDeviceToHost));
        return result;
    }

private:
    static constexpr int kThreads = 64;
    static_assert(Replicates % kThreads == 0, "whole blocks only");

    void launch(const int* data, int n) {
        replicateFrom<Engine, Statistic><<<Replicates / kThreads, kThreads, 0, stream_>>>(data, n, key_, offset_, out_);
        advanceOffset<<<1, 1, 0, stream_>>>(offset_, n);
    }

    unsigned long long key_;
    error_latch& err_;
    offset_t* offset_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    long long* out_ = nullptr;
};

// The same replicates by plain launches, each with its own range of the sequence.
template <class Engine, class Statistic, int Replicates>
std::vector<long long> reference(const int* data, int n, unsigned long long key, offset_t offset, error_latch& err) {
    std::vector<long long> result(Replicates, 0);
    long long* out = nullptr;
    if (!err(cudaMalloc(&out, Replicates * sizeof(long long)))) return result;
    replicate<Engine, Statistic><<<Replicates / 64, 64>>>(data, n, key, offset, out);
    err(cudaGetLastError());
    err(cudaMemcpy(result.data(), out, Replicates * sizeof(long long), cudaMemcpyDeviceToHost));
    err(cudaFree(out));
    return result;
}

}  // namespace boot

int main() {
    using namespace boot;
    constexpr int kPatients = 500, kReplicates = 256, kRounds = 4;
    constexpr unsigned long long kKey = 20240611ull;

    error_latch err;
    std::vector<int> measurements(kPatients);
    for (int i = 0; i < kPatients; ++i) measurements[i] = 90 + (i * i) % 61;
    int* data = nullptr;
    err(cudaMalloc(&data, kPatients * sizeof(int)));
    err(cudaMemcpy(data, measurements.data(), kPatients * sizeof(int), cudaMemcpyHostToDevice));

    std::vector<std::vector<long long>> rounds;
    bool right = true;
    {
        bootstrapper<philox_engine, sum_statistic, kReplicates> bootstrap(kKey, err);
        bootstrap.bind(data, kPatients);
        for (int r = 0; err.clean() && r < kRounds; ++r) {
            rounds.push_back(bootstrap.round());
            const offset_t offset = static_cast<offset_t>(r) * kPatients;
            const auto want = reference<philox_engine, sum_statistic, kReplicates>(data, kPatients, kKey, offset, err);
            right = right && rounds.back() == want;
        }
    }
    err(cudaFree(data));
    const bool repeated = rounds.size() == kRounds && rounds[0] == rounds[1] && rounds[1] == rounds[kRounds - 1];
    std::printf("status %s, rounds right %d, rounds repeated %d\n", err.name(), right, repeated);
    std::puts(err.clean() && !repeated && right ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
