// Real-time style audio bus: blocks from a producer queue are mixed with per-track gain, metered,
// and delivered to a sink that keeps a log of the peak of each block.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <deque>
#include <vector>

namespace bus {

constexpr int kTracks = 4;
constexpr int kBlock = 256;  // samples per track and block
constexpr int kSlots = 3;
constexpr size_t kBlockBytes = sizeof(float) * kTracks * kBlock;

struct AudioBlock {
    int seq;
    std::vector<float> samples;  // track-major
};

__constant__ float c_gain[kTracks] = {1.0f, 0.5f, 0.25f, 0.75f};
const float h_gain[kTracks] = {1.0f, 0.5f, 0.25f, 0.75f};

__global__ void mix(const float* tracks, float* master)
{
    int i = threadIdx.x;
    float v = 0.f;
    for (int t = 0; t < kTracks; ++t) v += c_gain[t] * tracks[t * kBlock + i];
    master[i] = v;
}

__global__ void peak(const float* master, float* meter)
{
    __shared__ float s[kBlock];
    int i = threadIdx.x;
    s[i] = fabsf(master[i]);
    __syncthreads();
    for (int k = kBlock / 2; k > 0; k /= 2) {
        if (i < k) s[i] = fmaxf(s[i], s[i + k]);
        __syncthreads();
    }
    if (i == 0) *meter = s[0];
}

// Shared with the callback; outlives the graph because the mixer owns it.
struct MeterTap {
    float* deviceMeter = nullptr;
    float* hostMeter = nullptr;  // pinned
    cudaStream_t stream = nullptr;
    cudaError_t lastError = cudaSuccess;
    int calls = 0;
    std::deque<float> log;
};

void CUDART_CB onBlockDone(void* user)
{
    MeterTap* tap = static_cast<MeterTap*>(user);
    tap->log.push_back(*tap->hostMeter);
    ++tap->calls;
}

class Mixer {
public:
    bool open();
    bool arm();
    bool push(const AudioBlock& b);
    const float* master() const { return hostMaster_; }
    const MeterTap& tap() const { return tap_; }
    void close();

private:
    bool ok(cudaError_t e, const char* what)
    {
        if (e != cudaSuccess) std::printf("%s: %s\n", what, cudaGetErrorString(e));
        return e == cudaSuccess;
    }

    cudaStream_t stream_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* ring_[kSlots] = {};
    unsigned writeSlot_ = 0, readSlot_ = 0;
    float* current_ = nullptr;
    float *pinned_ = nullptr, *master_ = nullptr, *hostMaster_ = nullptr;
    MeterTap tap_;
};

bool Mixer::open()
{
    bool good = ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    for (float*& slot : ring_) {
        good = good && ok(cudaMalloc(&slot, kBlockBytes), "slot");
        good = good && ok(cudaMemsetAsync(slot, 0, kBlockBytes, stream_), "clear");
    }
    good = good && ok(cudaMalloc(&current_, kBlockBytes), "current");
    good = good && ok(cudaMallocHost(&pinned_, kBlockBytes), "pinned");
    good = good && ok(cudaMalloc(&master_, sizeof(float) * kBlock), "master");
    good = good && ok(cudaMallocHost(&hostMaster_, sizeof(float) * kBlock), "host master");
    good = good && ok(cudaMalloc(&tap_.deviceMeter, sizeof(float)), "meter");
    good = good && ok(cudaMallocHost(&tap_.hostMeter, sizeof(float)), "host meter");
    if (good) *tap_.hostMeter = 0.f;
    tap_.stream = stream_;
    return good && ok(cudaStreamSynchronize(stream_), "open");
}

bool Mixer::arm()
{
    if (!ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin")) return false;
    mix<<<1, kBlock, 0, stream_>>>(current_, master_);
    peak<<<1, kBlock, 0, stream_>>>(master_, tap_.deviceMeter);
    cudaMemcpyAsync(hostMaster_, master_, sizeof(float) * kBlock, cudaMemcpyDeviceToHost, stream_);
    cudaMemcpyAsync(tap_.hostMeter, tap_.deviceMeter, sizeof(float), cudaMemcpyDeviceToHost, stream_);
    cudaLaunchHostFunc(stream_, onBlockDone, &tap_);
    if (!ok(cudaStreamEndCapture(stream_, &graph_), "end")) return false;
    return ok(cudaGraphInstantiate(&exec_, graph_, 0), "instantiate");
}

bool Mixer::push(const AudioBlock& b)
{
    for (size_t i = 0; i < b.samples.size(); ++i) pinned_[i] = b.samples[i];
    float* slot = ring_[writeSlot_++ % kSlots];
    if (!ok(cudaMemcpyAsync(slot, pinned_, kBlockBytes, cudaMemcpyHostToDevice, stream_), "upload")) return false;
    const float* src = ring_[readSlot_++ % kSlots];
    if (!ok(cudaMemcpyAsync(current_, src, kBlockBytes, cudaMemcpyDeviceToDevice, stream_), "stage")) return false;
    if (!ok(cudaGraphLaunch(exec_, stream_), "launch")) return false;
    return ok(cudaStreamSynchronize(stream_), "drain");
}

void Mixer::close()
{
    if (exec_) cudaGraphExecDestroy(exec_);
    if (graph_) cudaGraphDestroy(graph_);
    for (float* slot : ring_) cudaFree(slot);
    cudaFree(current_);
    cudaFree(master_);
    cudaFree(tap_.deviceMeter);
    cudaFreeHost(pinned_);
    cudaFreeHost(hostMaster_);
    cudaFreeHost(tap_.hostMeter);
    cudaStreamDestroy(stream_);
}

AudioBlock synth(int seq)
{
    AudioBlock b{seq, std::vector<float>(kTracks * kBlock)};
    for (size_t i = 0; i < b.samples.size(); ++i)
        b.samples[i] = 0.1f * (seq + 1) * std::sin(0.05f * static_cast<float>(i));
    return b;
}

}  // namespace bus

int main()
{
    using namespace bus;
    std::deque<AudioBlock> queue;
    for (int s = 0; s < 7; ++s) queue.push_back(synth(s));

    Mixer mixer;
    bool ok = mixer.open() && mixer.arm();
    int badBlocks = 0, badPeaks = 0, blocks = 0;
    while (ok && !queue.empty()) {
        const AudioBlock b = queue.front();
        queue.pop_front();
        ok = mixer.push(b);
        float ref = 0.f;
        bool wrong = false;
        for (int i = 0; i < kBlock; ++i) {
            float v = 0.f;
            for (int t = 0; t < kTracks; ++t) v += h_gain[t] * b.samples[t * kBlock + i];
            ref = std::fmax(ref, std::fabs(v));
            if (std::fabs(v - mixer.master()[i]) > 1e-4f) wrong = true;
        }
        if (wrong) ++badBlocks;
        if (mixer.tap().log.empty() || std::fabs(mixer.tap().log.back() - ref) > 1e-4f) ++badPeaks;
        ++blocks;
    }
    cudaError_t cb = mixer.tap().lastError;
    std::printf("blocks %d wrong %d peaks wrong %d callback: %s\n", blocks, badBlocks, badPeaks, cudaGetErrorName(cb));
    bool confirmed = ok && blocks == 7 && mixer.tap().calls == 7 && badBlocks == 0 && badPeaks == 0 && cb == cudaSuccess;
    mixer.close();
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
