// Continuous-batching decode engine. One CUDA graph is recorded per batch bucket and replayed for every decode step
// whose live batch falls into that bucket.
#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#define CUDA_CHECK(expr)                                                                      \
    do {                                                                                      \
        cudaError_t status_ = (expr);                                                         \
        if (status_ != cudaSuccess)                                                           \
            throw std::runtime_error(std::string(#expr) + ": " + cudaGetErrorString(status_)); \
    } while (0)

namespace serve {

constexpr int kMaxBatch = 16;
constexpr int kMaxSeq = 128;
constexpr int kHeadDim = 64;
constexpr int kVocab = 9973;

struct Sequence {
    int id;
    std::vector<int> tokens;
};

// One block per batch row. Rows with length < 0 are padding.
__global__ void append_kv(int* cache, const int* tokens, const int* lengths) {
    const int row = blockIdx.x;
    const int len = lengths[row];
    if (len < 0) return;
    cache[(row * kMaxSeq + len) * kHeadDim + threadIdx.x] = tokens[row] * 31 + threadIdx.x;
}

__global__ void attend_and_sample(const int* cache, const int* lengths, int* next) {
    __shared__ unsigned acc[kHeadDim];
    const int row = blockIdx.x;
    const int len = lengths[row];
    if (len < 0) return;
    unsigned sum = 0;
    for (int t = 0; t <= len; ++t) sum += cache[(row * kMaxSeq + t) * kHeadDim + threadIdx.x] * (t + 1);
    acc[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned total = 0;
        for (int d = 0; d < kHeadDim; ++d) total += acc[d];
        next[row] = static_cast<int>(total % kVocab);
    }
}

int reference_next(const Sequence& seq) {
    unsigned total = 0;
    for (int d = 0; d < kHeadDim; ++d)
        for (size_t t = 0; t < seq.tokens.size(); ++t)
            total += static_cast<unsigned>((seq.tokens[t] * 31 + d) * static_cast<int>(t + 1));
    return static_cast<int>(total % kVocab);
}

class DecodeEngine {
public:
    DecodeEngine() {
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_CHECK(cudaMalloc(&cache_, sizeof(int) * kMaxBatch * kMaxSeq * kHeadDim));
        CUDA_CHECK(cudaMalloc(&d_tokens_, sizeof(int) * kMaxBatch));
        CUDA_CHECK(cudaMalloc(&d_lengths_, sizeof(int) * kMaxBatch));
        CUDA_CHECK(cudaMalloc(&d_next_, sizeof(int) * kMaxBatch));
        CUDA_CHECK(cudaMallocHost(&h_tokens_, sizeof(int) * kMaxBatch));
        CUDA_CHECK(cudaMallocHost(&h_lengths_, sizeof(int) * kMaxBatch));
        CUDA_CHECK(cudaMallocHost(&h_next_, sizeof(int) * kMaxBatch));
        CUDA_CHECK(cudaMemset(cache_, 0, sizeof(int) * kMaxBatch * kMaxSeq * kHeadDim));
        CUDA_CHECK(cudaMemset(d_next_, 0xff, sizeof(int) * kMaxBatch));
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    ~DecodeEngine() {
        cudaStreamSynchronize(stream_);
        for (auto& entry : graphs_) cudaGraphExecDestroy(entry.second);
        cudaFree(cache_);
        cudaFree(d_tokens_);
        cudaFree(d_lengths_);
        cudaFree(d_next_);
        cudaFreeHost(h_tokens_);
        cudaFreeHost(h_lengths_);
        cudaFreeHost(h_next_);
        cudaStreamDestroy(stream_);
    }

    // Generates one token for every running sequence and appends it.
    void step(std::vector<Sequence>& running) {
        const int live = static_cast<int>(running.size());
        for (int row = 0; row < kMaxBatch; ++row) {
            h_tokens_[row] = row < live ? running[row].tokens.back() : 0;
            h_lengths_[row] = row < live ? static_cast<int>(running[row].tokens.size()) - 1 : -1;
        }
        cudaGraphExec_t exec = graph_for(live);
        CUDA_CHECK(cudaGraphLaunch(exec, stream_));
        CUDA_CHECK(cudaStreamSynchronize(stream_));
        for (int row = 0; row < live; ++row) running[row].tokens.push_back(h_next_[row]);
    }

    size_t recorded() const { return graphs_.size(); }

private:
    static int bucket_of(int live) {
        int bucket = 4;
        while (bucket < live) bucket *= 2;
        return bucket;
    }

    cudaGraphExec_t graph_for(int live) {
        const int bucket = bucket_of(live);
        auto it = graphs_.find(bucket);
        if (it != graphs_.end()) return it->second;
        cudaGraphExec_t exec = record(bucket);
        graphs_.emplace(bucket, exec);
        return exec;
    }

    cudaGraphExec_t record(int batch) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        cudaMemcpyAsync(d_tokens_, h_tokens_, sizeof(int) * kMaxBatch, cudaMemcpyHostToDevice, stream_);
        cudaMemcpyAsync(d_lengths_, h_lengths_, sizeof(int) * kMaxBatch, cudaMemcpyHostToDevice, stream_);
        append_kv<<<batch, kHeadDim, 0, stream_>>>(cache_, d_tokens_, d_lengths_);
        attend_and_sample<<<batch, kHeadDim, 0, stream_>>>(cache_, d_lengths_, d_next_);
        cudaMemcpyAsync(h_next_, d_next_, sizeof(int) * kMaxBatch, cudaMemcpyDeviceToHost, stream_);
        CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
        CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        CUDA_CHECK(cudaGraphDestroy(graph));
        return exec;
    }

    cudaStream_t stream_ = nullptr;
    int *cache_ = nullptr, *d_tokens_ = nullptr, *d_lengths_ = nullptr, *d_next_ = nullptr;
    int *h_tokens_ = nullptr, *h_lengths_ = nullptr, *h_next_ = nullptr;
    std::map<int, cudaGraphExec_t> graphs_;
};

}  // namespace serve

int main() {
    int mismatches = 0;
    bool failed = false;
    try {
        serve::DecodeEngine engine;
        std::vector<serve::Sequence> running;
        int next_id = 0;
        // One prompt token per request; requests join the batch while it is running.
        auto admit = [&](int count) {
            for (int i = 0; i < count; ++i, ++next_id) running.push_back({next_id, {101 + 7 * next_id}});
        };
        admit(5);
        for (int step = 0; step < 12; ++step) {
            if (step == 3) admit(2);  // 7 live rows, still the bucket of 8
            if (step == 7) admit(4);  // 11 live rows, bucket of 16
            std::vector<int> expected;
            for (const auto& seq : running) expected.push_back(serve::reference_next(seq));
            engine.step(running);
            for (size_t row = 0; row < running.size(); ++row)
                if (running[row].tokens.back() != expected[row]) ++mismatches;
        }
        std::printf("graphs recorded: %zu, wrong tokens: %d\n", engine.recorded(), mismatches);
    } catch (const std::exception& e) {
        std::printf("error: %s\n", e.what());
        failed = true;
    }
    std::printf(mismatches == 0 && !failed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
