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
    cudaStream_t uiStream = nullptr;
    std::atomic<int> status{cudaSuccess};
    std::atomic<int> updates{0};
};

void CUDART_CB onBlockDone(void* user) {
    auto* meter = static_cast<Meter*>(user);
    cudaError_t e = cudaMemcpyAsync(meter->hostLevel, meter->deviceLevel, sizeof(float),  // HAZARD callback
                                    cudaMemcpyDeviceToHost, meter->uiStream);
    if (e != cudaSuccess) meter->status.store(e);
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
        must(cudaStreamCreateWithFlags(&meter_.uiStream, cudaStreamNonBlocking), "ui stream");
        must(cudaDeviceSynchronize(), "setup");
        capture();
    }
    ~EchoUnit() {
        must(cudaGraphExecDestroy(exec_), "exec destroy");
        for (float* p : {ring_, wet_, meter_.deviceLevel}) must(cudaFree(p), "free");
        for (float* p : {meter_.hostLevel, in_, out_}) must(cudaFreeHost(p), "free host");
        must(cudaStreamDestroy(meter_.uiStream), "ui stream destroy");
        must(cudaStreamDestroy(stream_), "stream destroy");
    }
    EchoUnit(const EchoUnit&) = delete;
    EchoUnit& operator=(const EchoUnit&) = delete;

    const float* process(const std::vector<float>& block) {
        for (int i = 0; i < kBlock; ++i) in_[i] = block[i];
        must(cudaGraphLaunch(exec_, stream_), "launch");
        must(cudaStreamSynchronize(stream_), "sync");
        head_ = (head_ + 1) % kSlots;
        return out_;
    }
    const Meter& meter() const { return meter_; }

private:
    float* slot(int k) const { return ring_ + kBlock * ((k + kSlots) % kSlots); }

    void capture() {
        cudaGraph_t graph = nullptr;
        must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        must(cudaMemcpyAsync(slot(head_), in_, sizeof(float) * kBlock, cudaMemcpyHostToDevice, stream_), "in");  // HAZARD frozen #head
        echo<<<1, kBlock, 0, stream_>>>(slot(head_), slot(head_ - kDelay), wet_);  // HAZARD frozen #head
        peak<<<1, kBlock, 0, stream_>>>(wet_, meter_.deviceLevel);
        must(cudaGetLastError(), "kernels");
        must(cudaMemcpyAsync(out_, wet_, sizeof(float) * kBlock, cudaMemcpyDeviceToHost, stream_), "out");
        must(cudaLaunchHostFunc(stream_, onBlockDone, &meter_), "meter");
        must(cudaStreamEndCapture(stream_, &graph), "end");
        must(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        must(cudaGraphDestroy(graph), "graph destroy");
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *ring_ = nullptr, *wet_ = nullptr, *in_ = nullptr, *out_ = nullptr;
    Meter meter_;
    int head_ = 0;
};

}  // namespace audio

int main() {
    using namespace audio;
    constexpr int kBlocks = 20;
    std::vector<std::vector<float>> dry(kBlocks, std::vector<float>(kBlock));
    int wrong = 0;
    bool refused = false;
    {
        EchoUnit unit;
        for (int b = 0; b < kBlocks; ++b) {
            for (int i = 0; i < kBlock; ++i) dry[b][i] = std::sin(0.05f * i * (b + 1)) + 0.1f * b;
            const float* out = unit.process(dry[b]);
            for (int i = 0; i < kBlock; ++i) {
                const float want = dry[b][i] + (b >= kDelay ? kWet * dry[b - kDelay][i] : 0.0f);
                wrong += std::fabs(out[i] - want) > 1e-4f;
            }
        }
        refused = unit.meter().status.load() != cudaSuccess && unit.meter().updates.load() == kBlocks;
    }
    std::printf("wrong samples %d, meter copy refused: %s\n", wrong, refused ? "yes" : "no");
    const bool confirmed = wrong > 0 && refused;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
