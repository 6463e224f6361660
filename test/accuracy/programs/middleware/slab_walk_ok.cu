#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <type_traits>
#include <vector>

struct CudaError : std::runtime_error {
    CudaError(const char* what, cudaError_t c) : std::runtime_error(what), code(c) {}
    cudaError_t code;
};
#define OK(e)                                               \
    do {                                                    \
        cudaError_t r_ = (e);                               \
        if (r_ != cudaSuccess) throw CudaError(#e, r_);     \
    } while (0)

constexpr int kHistories = 1024;
constexpr int kGroups = 4;

class PinnedScratch {
public:
    explicit PinnedScratch(size_t n) { OK(cudaMallocHost(&base_, n * sizeof(float))); }
    ~PinnedScratch() { cudaFreeHost(base_); }
    struct Scope {
        explicit Scope(PinnedScratch& s) : s_(s), mark_(s.top_) {}
        ~Scope() { s_.top_ = mark_; }
        PinnedScratch& s_;
        size_t mark_;
    };
    float* take(size_t n) {
        float* p = base_ + top_;
        top_ += n;
        return p;
    }

private:
    float* base_ = nullptr;
    size_t top_ = 0;
};

__global__ void bump_offset(unsigned long long* offset, unsigned draws) { *offset += draws; }

struct DeviceStream {
    using argument = const unsigned long long*;
    DeviceStream() {
        OK(cudaMalloc(&offset_, sizeof(*offset_)));
        OK(cudaMemset(offset_, 0, sizeof(*offset_)));
    }
    ~DeviceStream() { cudaFree(offset_); }
    DeviceStream(const DeviceStream&) = delete;
    argument current() const { return offset_; }
    void consumed(unsigned draws, cudaStream_t s) { bump_offset<<<1, 1, 0, s>>>(offset_, draws); }

private:
    unsigned long long* offset_ = nullptr;
};

template <class Arg>
__global__ void walk(float* tally, float* depth, const float* sigma, unsigned long long seed, Arg offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kHistories) return;
    unsigned long long start;
    if constexpr (std::is_pointer_v<Arg>) start = *offset;
    else start = offset;
    curandStatePhilox4_32_10_t st;
    curand_init(seed, i, start, &st);
    tally[i] = curand_uniform(&st);
    depth[i] = sigma[i % kGroups];
}

template <class Stream>
class SlabProblem {
public:
    SlabProblem(PinnedScratch& scratch, unsigned long long seed) : scratch_(scratch), seed_(seed) {
        OK(cudaStreamCreateWithFlags(&q_, cudaStreamNonBlocking));
        for (float** p : {&tally_, &depth_, &sigma_}) OK(cudaMalloc(p, kHistories * sizeof(float)));
        OK(cudaMallocHost(&table_, kGroups * sizeof(float)));
        OK(cudaDeviceSynchronize());
    }
    ~SlabProblem() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (float* p : {tally_, depth_, sigma_}) cudaFree(p);
        cudaFreeHost(table_);
        cudaStreamDestroy(q_);
    }
    void build(const std::array<float, kGroups>& base, float density) {
        PinnedScratch::Scope scope(scratch_);
        float* xs = scratch_.take(kGroups);
        for (int g = 0; g < kGroups; ++g) xs[g] = base[g] * density;
        for (int g = 0; g < kGroups; ++g) table_[g] = xs[g];
        cudaGraph_t graph = nullptr;
        OK(cudaStreamBeginCapture(q_, cudaStreamCaptureModeRelaxed));
        OK(cudaMemcpyAsync(sigma_, table_, kGroups * sizeof(float), cudaMemcpyHostToDevice, q_));
        walk<<<kHistories / 128, 128, 0, q_>>>(tally_, depth_, sigma_, seed_, stream_.current());
        stream_.consumed(4, q_);
        OK(cudaStreamEndCapture(q_, &graph));
        OK(cudaGraphInstantiate(&exec_, graph, 0));
        OK(cudaGraphDestroy(graph));
    }
    std::vector<float> batch(float* depth0) {
        std::vector<float> out(kHistories);
        OK(cudaGraphLaunch(exec_, q_));
        OK(cudaMemcpyAsync(out.data(), tally_, kHistories * sizeof(float), cudaMemcpyDeviceToHost, q_));
        OK(cudaMemcpyAsync(depth0, depth_, sizeof(float), cudaMemcpyDeviceToHost, q_));
        OK(cudaStreamSynchronize(q_));
        return out;
    }

private:
    PinnedScratch& scratch_;
    unsigned long long seed_;
    Stream stream_;
    float *tally_ = nullptr, *depth_ = nullptr, *sigma_ = nullptr;
    float* table_ = nullptr;
    cudaStream_t q_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

int main() {
    try {
        PinnedScratch scratch(256);
        SlabProblem<DeviceStream> problem(scratch, 1234ULL);
        problem.build({1.0f, 2.0f, 3.0f, 4.0f}, 0.5f);
        float d0 = 0, d1 = 0;
        auto first = problem.batch(&d0);
        float* weights = scratch.take(kGroups);
        for (int g = 0; g < kGroups; ++g) weights[g] = 42.0f;
        auto second = problem.batch(&d1);
        int same = 0;
        for (int i = 0; i < kHistories; ++i) same += first[i] == second[i];
        bool ok = d0 == 0.5f && d1 == 0.5f && same < kHistories / 10;
        std::printf(ok ? "LABEL CONFIRMED\n" : "LABEL REFUTED %f %f %d\n", d0, d1, same);
    } catch (const CudaError& e) {
        std::printf("LABEL REFUTED %s %d\n", e.what(), e.code);
    }
    return 0;
}
