#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#define CUDA_CHECK(expr)                                                        \
    do {                                                                        \
        cudaError_t err__ = (expr);                                             \
        if (err__ != cudaSuccess) {                                             \
            printf("LABEL REFUTED %s (%s)\n", cudaGetErrorName(err__), #expr);  \
            exit(0);                                                            \
        }                                                                       \
    } while (0)

constexpr int kMaxBatch = 8;
constexpr int kMaxSeq = 64;
constexpr std::array<int, 4> kBuckets = {1, 2, 4, 8};

struct KvCache {
    int *tokens = nullptr;
    int *lens = nullptr;
};

struct StaticInputs {
    int *token_in = nullptr;
    int *token_out = nullptr;
};

struct SamplingParams {
    uint32_t seed = 1234;
    uint32_t step = 0;
};

__device__ inline uint32_t mix(uint32_t x) {
    x ^= x >> 16; x *= 0x7feb352dU;
    x ^= x >> 15; x *= 0x846ca68bU;
    return x ^ (x >> 16);
}

__global__ void append_kv(KvCache kv, const int *tok) {
    int row = blockIdx.x;
    if (threadIdx.x == 0) {
        int pos = kv.lens[row];
        if (pos < kMaxSeq) kv.tokens[row * kMaxSeq + pos] = tok[row];
        kv.lens[row] = pos + 1;
    }
}

__global__ void sample_token(int *out, int rows, uint32_t seed, uint32_t step) {
    int row = threadIdx.x;
    if (row < rows) out[row] = int(mix(seed ^ mix(step * 977u + row)) & 0xffff);
}

class DecodeRunner {
public:
    DecodeRunner() {
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_CHECK(cudaMalloc(&kv_.tokens, kMaxBatch * kMaxSeq * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&kv_.lens, kMaxBatch * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&in_.token_in, kMaxBatch * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&in_.token_out, kMaxBatch * sizeof(int)));
        CUDA_CHECK(cudaMemset(in_.token_in, 0, kMaxBatch * sizeof(int)));
        CUDA_CHECK(cudaMemset(kv_.lens, 0, kMaxBatch * sizeof(int)));
        CUDA_CHECK(cudaDeviceSynchronize());
    }

    std::vector<int> decode(const std::vector<int> &tokens) {
        const int batch = int(tokens.size());
        const int bucket = bucket_for(batch);
        auto it = graphs_.find(bucket);
        if (it == graphs_.end()) it = graphs_.emplace(bucket, capture(bucket, batch)).first;
        CUDA_CHECK(cudaMemcpyAsync(in_.token_in, tokens.data(), batch * sizeof(int), cudaMemcpyHostToDevice, stream_));
        CUDA_CHECK(cudaGraphLaunch(it->second, stream_));
        params_.step++;
        std::vector<int> out(batch);
        CUDA_CHECK(cudaMemcpyAsync(out.data(), in_.token_out, batch * sizeof(int), cudaMemcpyDeviceToHost, stream_));
        CUDA_CHECK(cudaStreamSynchronize(stream_));
        return out;
    }

    std::vector<int> lengths() {
        std::vector<int> v(kMaxBatch);
        CUDA_CHECK(cudaMemcpy(v.data(), kv_.lens, v.size() * sizeof(int), cudaMemcpyDeviceToHost));
        return v;
    }
    uint32_t steps() const { return params_.step; }

private:
    static int bucket_for(int batch) { return *std::lower_bound(kBuckets.begin(), kBuckets.end(), batch); }

    cudaGraphExec_t capture(int bucket, int batch) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        append_kv<<<batch, 32, 0, stream_>>>(kv_, in_.token_in); // HAZARD dynamic_shape
        sample_token<<<1, 32, 0, stream_>>>(in_.token_out, bucket, params_.seed, params_.step); // HAZARD random
        CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
        CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        CUDA_CHECK(cudaGraphDestroy(graph));
        return exec;
    }

    cudaStream_t stream_ = nullptr;
    KvCache kv_;
    StaticInputs in_;
    SamplingParams params_;
    std::unordered_map<int, cudaGraphExec_t> graphs_;
};

int main() {
    DecodeRunner runner;
    auto t0 = runner.decode({1, 2, 3});
    auto t1 = runner.decode({4, 5, 6, 7});
    auto t2 = runner.decode({8, 9, 10, 11});
    auto lens = runner.lengths();
    const bool rows = lens[0] == 3 && lens[3] == 0;
    const bool draws = t0[0] == t1[0] && t1 == t2;
    if (rows && draws && runner.steps() == 3) printf("LABEL CONFIRMED\n");
    else printf("LABEL REFUTED lens %d %d tok %d %d %d\n", lens[0], lens[3], t0[0], t1[0], t2[0]);
    return 0;
}
