// Decode loop of a small language model: append to the KV cache, score the vocabulary, sample a token.
// One step is one CUDA graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

namespace llm {

inline void cudaOk(cudaError_t status, const char* what)
{
    if (status == cudaSuccess) return;
    std::printf("LABEL NOT CONFIRMED: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}
#define CUDA_OK(call) ::llm::cudaOk((call), #call)

constexpr int kVocab = 64;
constexpr int kContext = 32;
constexpr int kHidden = 16;

struct GraphExecDelete {
    void operator()(cudaGraphExec_t exec) const { CUDA_OK(cudaGraphExecDestroy(exec)); }
};
using GraphExec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, GraphExecDelete>;

template <class Fn>
GraphExec capture(cudaStream_t stream, Fn&& body)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    body();
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_OK(cudaGraphDestroy(graph));
    return GraphExec(exec);
}

__global__ void appendKey(int* cache, const int* token, int* position)
{
    const int row = *position;
    __syncthreads();
    cache[row * kHidden + threadIdx.x] = *token * 100 + threadIdx.x;
    if (threadIdx.x == 0) *position = row + 1;
}

// The distribution of this toy model is uniform, hence a token is a slice of [0, 1).
__global__ void sampleToken(int* token, const float* uniform) { *token = static_cast<int>(*uniform * kVocab); }

class KvCache {
public:
    KvCache()
    {
        CUDA_OK(cudaMalloc(&data_, kContext * kHidden * sizeof(int)));
        CUDA_OK(cudaMalloc(&devicePosition_, sizeof(int)));
        CUDA_OK(cudaMemset(data_, 0xff, kContext * kHidden * sizeof(int)));
        CUDA_OK(cudaMemset(devicePosition_, 0, sizeof(int)));
        CUDA_OK(cudaDeviceSynchronize());
    }
    ~KvCache()
    {
        CUDA_OK(cudaFree(data_));
        CUDA_OK(cudaFree(devicePosition_));
    }
    KvCache(const KvCache&) = delete;
    KvCache& operator=(const KvCache&) = delete;

    int* data() { return data_; }
    int* devicePosition() { return devicePosition_; }
    bool full() const { return position_ == kContext; }
    void advance() { ++position_; }

private:
    int* data_ = nullptr;
    int* devicePosition_ = nullptr;
    int position_ = 0; // host mirror, only for the capacity check
};

class Sampler {
public:
    explicit Sampler(unsigned seed) : engine_(seed) {}
    float draw() { return unit_(engine_); }

private:
    std::mt19937 engine_;
    std::uniform_real_distribution<float> unit_{0.0f, 1.0f};
};

class DecodeSession {
public:
    explicit DecodeSession(unsigned seed) : sampler_(seed)
    {
        CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_OK(cudaMallocHost(&drawn_, sizeof(float)));
        CUDA_OK(cudaMalloc(&uniform_, sizeof(float)));
        CUDA_OK(cudaMalloc(&token_, sizeof(int)));
        CUDA_OK(cudaMemset(token_, 0, sizeof(int)));
        CUDA_OK(cudaDeviceSynchronize());
    }
    ~DecodeSession()
    {
        step_.reset();
        CUDA_OK(cudaFreeHost(drawn_));
        CUDA_OK(cudaFree(uniform_));
        CUDA_OK(cudaFree(token_));
        CUDA_OK(cudaStreamDestroy(stream_));
    }

    int step()
    {
        if (cache_.full()) return -1;
        *drawn_ = sampler_.draw();
        if (!step_) {
            step_ = capture(stream_, [this] {
                CUDA_OK(cudaMemcpyAsync(uniform_, drawn_, sizeof(float), cudaMemcpyHostToDevice, stream_));
                appendKey<<<1, kHidden, 0, stream_>>>(cache_.data(), token_, cache_.devicePosition());
                sampleToken<<<1, 1, 0, stream_>>>(token_, uniform_);
            });
        }
        CUDA_OK(cudaGraphLaunch(step_.get(), stream_));
        int token = -1;
        CUDA_OK(cudaMemcpyAsync(&token, token_, sizeof(int), cudaMemcpyDeviceToHost, stream_));
        CUDA_OK(cudaStreamSynchronize(stream_));
        cache_.advance();
        return token;
    }

    std::vector<int> cachedTokens(int count)
    {
        std::vector<int> rows(kContext * kHidden), tokens;
        CUDA_OK(cudaMemcpy(rows.data(), cache_.data(), rows.size() * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < count; ++i) tokens.push_back(rows[i * kHidden] < 0 ? -1 : rows[i * kHidden] / 100);
        return tokens;
    }

private:
    cudaStream_t stream_ = nullptr;
    float* drawn_ = nullptr;   // pinned
    float* uniform_ = nullptr; // device
    int* token_ = nullptr;
    KvCache cache_;
    Sampler sampler_;
    GraphExec step_;
};

} // namespace llm

int main()
{
    constexpr unsigned kSeed = 20240229;
    constexpr int kSteps = 5;
    llm::DecodeSession session(kSeed);
    llm::Sampler reference(kSeed);

    int rightTokens = 0, sameTokens = 0, first = -1;
    std::vector<int> expectedCache{0};
    for (int i = 0; i < kSteps; ++i) {
        const int token = session.step();
        const int expected = static_cast<int>(reference.draw() * llm::kVocab);
        if (i == 0) first = token;
        rightTokens += token == expected;
        sameTokens += token == first;
        expectedCache.push_back(token);
    }
    const std::vector<int> cached = session.cachedTokens(kSteps);
    int rightRows = 0, emptyRows = 0;
    for (int i = 0; i < kSteps; ++i) {
        rightRows += cached[i] == expectedCache[i];
        emptyRows += cached[i] == -1;
    }
    if (rightTokens == kSteps && rightRows == kSteps && emptyRows == 0) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: right tokens %d, same tokens %d, right rows %d, empty rows %d of %d\n",
                rightTokens, sameTokens, rightRows, emptyRows, kSteps);
    return 1;
}
