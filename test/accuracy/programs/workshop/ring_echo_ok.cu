// Echo unit of an audio host. Each block of samples is copied into a device ring, and the echo kernel mixes
// it with the block that arrived kDelay blocks earlier. A meter shows the peak of every processed block.
#include <cuda_runtime.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace audio {

constexpr int kBlock = 256;   // samples
constexpr int kSlots = 8;     // blocks in the ring
constexpr int kDelay = 3;     // blocks
constexpr float kWet = 0.5f;

inline void must(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    std::printf("%s: %s\nLABEL UNOBSERVED\n", what, cudaGetErrorString(e));
    std::exit(1);
}

__global__ void echo(const float* dry, const float* delayed, float* out) {
    int i = threadIdx.x;
    out[i] = dry[i] + kWet * delayed[i];
}

__global__ void peak(const float* block, float* level) {
    __shared__ float part[kBlock];
    part[threadIdx.x] = fabsf(block[threadIdx.x]);
    __syncthreads();
    for (int w = kBlock / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + w]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *level = part[0];
}

struct Meter {
    float* deviceLevel = nullptr;
    float* hostLevel = nullptr;  // pinned
    std::atomic<float> shown{-1.0f};
    std::atomic<int> updates{0};
};

void CUDART_CB onBlockDone(void* user) {
    auto* meter = static_cast<Meter*>(user);
    meter->shown.store(*meter->hostLevel);
    meter->updates.fetch_add(1);
}

class EchoUnit {
public:
    EchoUnit() {
        must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        must(cudaMalloc(&ring_, sizeof(float) * kBlock * kSlots), "ring");
        must(cudaMemset(ring_, 0, sizeof(float) * kBlock * kSlots), "ring clear");
        must(cudaMalloc(&wet_, sizeof(float) * kBlock), "wet");
        must(cudaMalloc(&meter_.deviceLevel, sizeof(float)), "level");
        must(cudaMallocHost(&meter_.hostLevel, sizeof(float)), "level");
        must(cudaMallocHost(&in_, sizeof(float) * kBlock), "in");
        must(cudaMallocHost(&out_, sizeof(float) * kBlock), "out");
        must(cudaDeviceSynchronize(), "setup");
        capture();
    }
    ~EchoUnit() {
        must(cudaGraphExecDestroy(exec_), "exec destroy");
        must(cudaGraphDestroy(graph_), "graph destroy");
        for (float* p : {ring_, wet_, meter_.deviceLevel}) must(cudaFree(p), "free");
        for (float* p : {meter_.hostLevel, in_, out_}) must(cudaFreeHost(p), "free host");
        must(cudaStreamDestroy(stream_), "stream destroy");
    }
    EchoUnit(const EchoUnit&) = delete;
    EchoUnit& operator=(const EchoUnit&) = delete;

    const float* process(const std::vector<float>& block) {
        for (int i = 0; i < kBlock; ++i) in_[i] = block[i];
        retarget();
        must(cudaGraphLaunch(exec_, stream_), "launch");
        must(cudaStreamSynchronize(stream_), "sync");
        head_ = (head_ + 1) % kSlots;
        return out_;
    }
    const Meter& meter() const { return meter_; }

private:
    float* slot(int k) const { return ring_ + kBlock * ((k + kSlots) % kSlots); }

    // The node that was captured last; the capture below is a single chain.
    cudaGraphNode_t tail() const {
        cudaStreamCaptureStatus status;
        const cudaGraphNode_t* deps = nullptr;
        size_t count = 0;
        must(cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, &deps, nullptr, &count), "capture info");
        return count == 1 ? deps[0] : nullptr;
    }

    void capture() {
        must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        must(cudaMemcpyAsync(slot(head_), in_, sizeof(float) * kBlock, cudaMemcpyHostToDevice, stream_), "in");
        inputNode_ = tail();
        echo<<<1, kBlock, 0, stream_>>>(slot(head_), slot(head_ - kDelay), wet_);
        echoNode_ = tail();
        peak<<<1, kBlock, 0, stream_>>>(wet_, meter_.deviceLevel);
        must(cudaGetLastError(), "kernels");
        must(cudaMemcpyAsync(out_, wet_, sizeof(float) * kBlock, cudaMemcpyDeviceToHost, stream_), "out");
        must(cudaMemcpyAsync(meter_.hostLevel, meter_.deviceLevel, sizeof(float), cudaMemcpyDeviceToHost, stream_), "level");
        must(cudaLaunchHostFunc(stream_, onBlockDone, &meter_), "meter");
        must(cudaStreamEndCapture(stream_, &graph_), "end");
        must(cudaGraphInstantiate(&exec_, graph_, 0), "instantiate");
    }

    // Points the two nodes that touch the ring to the current slot; the unit is idle between blocks.
    void retarget() {
        must(cudaGraphExecMemcpyNodeSetParams1D(exec_, inputNode_, slot(head_), in_, sizeof(float) * kBlock,
                                                cudaMemcpyHostToDevice), "retarget input");
        const float *dry = slot(head_), *delayed = slot(head_ - kDelay);
        void* args[] = {&dry, &delayed, &wet_};
        cudaKernelNodeParams params = {};
        params.func = reinterpret_cast<void*>(echo);
        params.gridDim = dim3(1);
        params.blockDim = dim3(kBlock);
        params.kernelParams = args;
        must(cudaGraphExecKernelNodeSetParams(exec_, echoNode_, &params), "retarget echo");
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphNode_t inputNode_ = nullptr, echoNode_ = nullptr;
    float *ring_ = nullptr, *wet_ = nullptr, *in_ = nullptr, *out_ = nullptr;
    Meter meter_;
    int head_ = 0;
};

}  // namespace audio

int main() {
    using namespace audio;
    constexpr int kBlocks = 20;
    std::vector<std::vector<float>> dry(kBlocks, std::vector<float>(kBlock));
    int wrong = 0, wrongLevels = 0;
    {
        EchoUnit unit;
        for (int b = 0; b < kBlocks; ++b) {
            for (int i = 0; i < kBlock; ++i) dry[b][i] = std::sin(0.05f * i * (b + 1)) + 0.1f * b;
            const float* out = unit.process(dry[b]);
            float top = 0.0f;
            for (int i = 0; i < kBlock; ++i) {
                const float want = dry[b][i] + (b >= kDelay ? kWet * dry[b - kDelay][i] : 0.0f);
                wrong += std::fabs(out[i] - want) > 1e-4f;
                top = std::fmax(top, std::fabs(want));
            }
            wrongLevels += std::fabs(unit.meter().shown.load() - top) > 1e-4f || unit.meter().updates.load() != b + 1;
        }
    }
    std::printf("wrong samples %d, wrong levels %d\n", wrong, wrongLevels);
    const bool confirmed = wrong == 0 && wrongLevels == 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
