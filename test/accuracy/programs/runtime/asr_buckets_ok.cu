#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <unordered_map>
#include <vector>

#define TLLM_CUDA_CHECK(stmt) check((stmt), #stmt, __LINE__)

static void check(cudaError_t rc, const char* what, int line)
{
    if (rc == cudaSuccess)
    {
        return;
    }
    std::fprintf(stderr, "line %d: %s -> %s\n", line, what, cudaGetErrorName(rc));
    std::abort();
}

namespace asr::runtime
{

constexpr int kDim = 80;
constexpr int kBucket = 64;
constexpr int kMaxFrames = 1024;

__global__ void cmvn(float* feat, int const* len, int t)
{
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < t * kDim)
    {
        feat[i] = i / kDim < *len ? feat[i] - 0.5f : 0.0f;
    }
}

__global__ void project(float const* feat, float const* weight, float* hidden, int t)
{
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < t * kDim)
    {
        hidden[i] = feat[i] * weight[i % kDim];
    }
}

inline int roundUp(int v, int q)
{
    return (v + q - 1) / q * q;
}

class GraphLru
{
public:
    using Factory = std::function<cudaGraphExec_t()>;

    explicit GraphLru(size_t capacity)
        : mCapacity(capacity)
    {
    }

    ~GraphLru()
    {
        clear();
    }

    void clear()
    {
        for (auto& e : mOrder)
        {
            cudaGraphExecDestroy(e.second);
        }
        mOrder.clear();
        mIndex.clear();
    }

    cudaGraphExec_t getOrCreate(int key, Factory const& make)
    {
        auto it = mIndex.find(key);
        if (it != mIndex.end())
        {
            mOrder.splice(mOrder.begin(), mOrder, it->second);
            return it->second->second;
        }
        if (mOrder.size() == mCapacity)
        {
            TLLM_CUDA_CHECK(cudaGraphExecDestroy(mOrder.back().second));
            mIndex.erase(mOrder.back().first);
            mOrder.pop_back();
        }
        mOrder.emplace_front(key, make());
        mIndex[key] = mOrder.begin();
        return mOrder.front().second;
    }

private:
    size_t mCapacity;
    std::list<std::pair<int, cudaGraphExec_t>> mOrder;
    std::unordered_map<int, std::list<std::pair<int, cudaGraphExec_t>>::iterator> mIndex;
};

class EncoderRunner
{
public:
    explicit EncoderRunner(std::vector<float> const& weight)
    {
        TLLM_CUDA_CHECK(cudaStreamCreateWithFlags(&mStream, cudaStreamNonBlocking));
        TLLM_CUDA_CHECK(cudaMalloc(&mFeat, kMaxFrames * kDim * sizeof(float)));
        TLLM_CUDA_CHECK(cudaMalloc(&mHidden, kMaxFrames * kDim * sizeof(float)));
        TLLM_CUDA_CHECK(cudaMalloc(&mWeight, kDim * sizeof(float)));
        TLLM_CUDA_CHECK(cudaMalloc(&mLen, sizeof(int)));
        TLLM_CUDA_CHECK(cudaMallocHost(&mLenHost, sizeof(int)));
        TLLM_CUDA_CHECK(cudaMemset(mHidden, 0, kMaxFrames * kDim * sizeof(float)));
        TLLM_CUDA_CHECK(cudaMemcpy(mWeight, weight.data(), kDim * sizeof(float), cudaMemcpyHostToDevice));
        TLLM_CUDA_CHECK(cudaDeviceSynchronize());
    }

    ~EncoderRunner()
    {
        mGraphs.clear();
        cudaFree(mFeat);
        cudaFree(mHidden);
        cudaFree(mWeight);
        cudaFree(mLen);
        cudaFreeHost(mLenHost);
        cudaStreamDestroy(mStream);
    }

    std::vector<float> encode(std::vector<float> const& chunk)
    {
        int const frames = static_cast<int>(chunk.size()) / kDim;
        int const padded = std::min(roundUp(frames, kBucket), kMaxFrames);
        *mLenHost = frames;
        TLLM_CUDA_CHECK(cudaMemcpyAsync(mLen, mLenHost, sizeof(int), cudaMemcpyHostToDevice, mStream));
        TLLM_CUDA_CHECK(cudaMemsetAsync(mFeat, 0, padded * kDim * sizeof(float), mStream));
        TLLM_CUDA_CHECK(
            cudaMemcpyAsync(mFeat, chunk.data(), chunk.size() * sizeof(float), cudaMemcpyHostToDevice, mStream));

        auto const exec = mGraphs.getOrCreate(padded, [&] { return record(padded); });
        TLLM_CUDA_CHECK(cudaGraphLaunch(exec, mStream));

        std::vector<float> out(chunk.size());
        TLLM_CUDA_CHECK(
            cudaMemcpyAsync(out.data(), mHidden, out.size() * sizeof(float), cudaMemcpyDeviceToHost, mStream));
        TLLM_CUDA_CHECK(cudaStreamSynchronize(mStream));
        return out;
    }

private:
    void enqueueLayers(int t)
    {
        int const blocks = (t * kDim + 127) / 128;
        cmvn<<<blocks, 128, 0, mStream>>>(mFeat, mLen, t);
        TLLM_CUDA_CHECK(cudaGetLastError());
        project<<<blocks, 128, 0, mStream>>>(mFeat, mWeight, mHidden, t);
        TLLM_CUDA_CHECK(cudaGetLastError());
    }

    cudaGraphExec_t record(int t)
    {
        cudaGraph_t graph{nullptr};
        cudaGraphExec_t exec{nullptr};
        TLLM_CUDA_CHECK(cudaStreamBeginCapture(mStream, cudaStreamCaptureModeThreadLocal));
        enqueueLayers(t);
        TLLM_CUDA_CHECK(cudaStreamEndCapture(mStream, &graph));
        TLLM_CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        TLLM_CUDA_CHECK(cudaGraphDestroy(graph));
        return exec;
    }

    cudaStream_t mStream{nullptr};
    float* mFeat{nullptr};
    float* mHidden{nullptr};
    float* mWeight{nullptr};
    int* mLen{nullptr};
    int* mLenHost{nullptr};
    GraphLru mGraphs{4};
};

} // namespace asr::runtime

int main()
{
    using namespace asr::runtime;
    EncoderRunner runner(std::vector<float>(kDim, 3.0f));
    bool right = true;
    for (int frames : {40, 200, 60, 33, 190, 64})
    {
        std::vector<float> const out = runner.encode(std::vector<float>(frames * kDim, 1.0f + frames));
        for (float v : out)
        {
            right = right && std::fabs(v - 3.0f * (0.5f + frames)) < 1e-3f;
        }
    }
    std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
