// Audio level meters: every channel has its own graph whose last node updates the channel's statistics.
#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory_resource>
#include <vector>

#define CK(expr)                                                                       \
    do {                                                                               \
        cudaError_t e_ = (expr);                                                       \
        if (e_ != cudaSuccess) {                                                       \
            std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));     \
            std::exit(1);                                                              \
        }                                                                              \
    } while (0)

namespace meter {

constexpr int kBlock = 256;

struct ChannelMeter {
    int channel;
    int frames;
    double total;
    const float* level;  // pinned, written by the graph
};

__global__ void blockPeak(const float* samples, float* peak) {
    __shared__ float s[kBlock];
    const int t = threadIdx.x;
    s[t] = fabsf(samples[t]);
    __syncthreads();
    for (int w = kBlock / 2; w > 0; w /= 2) {
        if (t < w) s[t] = fmaxf(s[t], s[t + w]);
        __syncthreads();
    }
    if (t == 0) *peak = s[0];
}

void CUDART_CB onBlockDone(void* user) {
    auto* meter = static_cast<ChannelMeter*>(user);
    meter->frames += 1;
    meter->total += *meter->level;
}

class MeterBank {
public:
    MeterBank() { CK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~MeterBank() {
        for (Voice& v : voices_) {
            CK(cudaGraphExecDestroy(v.exec));
            CK(cudaFree(v.samples));
            CK(cudaFree(v.peak));
            CK(cudaFreeHost(v.level));
        }
        CK(cudaStreamDestroy(stream_));
    }
    MeterBank(const MeterBank&) = delete;
    MeterBank& operator=(const MeterBank&) = delete;

    int addChannel() {
        Voice v;
        CK(cudaMalloc(&v.samples, kBlock * sizeof(float)));
        CK(cudaMalloc(&v.peak, sizeof(float)));
        CK(cudaMallocHost(&v.level, sizeof(float)));
        const int id = static_cast<int>(meters_.size());
        meters_.push_back(ChannelMeter{id, 0, 0.0, v.level});  // HAZARD dangling #meter
        v.exec = record(v, meters_.back());
        voices_.push_back(v);
        return id;
    }

    void process(int id, float amplitude) {
        Voice& v = voices_[id];
        std::array<float, kBlock> block;
        for (int i = 0; i < kBlock; ++i) block[i] = (i % 2 ? -amplitude : amplitude * 0.5f);
        CK(cudaMemcpyAsync(v.samples, block.data(), sizeof(block), cudaMemcpyHostToDevice, stream_));
        CK(cudaGraphLaunch(v.exec, stream_));
        CK(cudaStreamSynchronize(stream_));
    }

    const ChannelMeter& meter(int id) const { return meters_[id]; }

private:
    struct Voice {
        float* samples = nullptr;
        float* peak = nullptr;
        float* level = nullptr;
        cudaGraphExec_t exec = nullptr;
    };

    cudaGraphExec_t record(const Voice& v, ChannelMeter& meter) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        CK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        blockPeak<<<1, kBlock, 0, stream_>>>(v.samples, v.peak);
        CK(cudaMemcpyAsync(v.level, v.peak, sizeof(float), cudaMemcpyDeviceToHost, stream_));
        CK(cudaLaunchHostFunc(stream_, onBlockDone, &meter));  // HAZARD dangling #meter
        CK(cudaStreamEndCapture(stream_, &graph));
        CK(cudaGraphInstantiate(&exec, graph, 0));
        CK(cudaGraphDestroy(graph));
        return exec;
    }

    cudaStream_t stream_ = nullptr;
    // Meters live in a session arena: no heap traffic while audio runs.
    std::array<std::byte, 64 * 1024> storage_;
    std::pmr::monotonic_buffer_resource arena_{storage_.data(), storage_.size()};
    std::pmr::vector<ChannelMeter> meters_{&arena_};
    std::vector<Voice> voices_;
};

}  // namespace meter

int main() {
    meter::MeterBank bank;
    bool wrong = false;

    const int lead = bank.addChannel();
    bank.process(lead, 1.0f);
    bank.process(lead, 2.0f);

    std::vector<int> guests;
    for (int i = 0; i < 6; ++i) guests.push_back(bank.addChannel());

    for (int round = 0; round < 4; ++round) {
        bank.process(lead, 4.0f);
        for (int g : guests) bank.process(g, 0.5f * (g + 1));
    }

    const auto& m = bank.meter(lead);
    std::printf("lead: %d frames, total %.2f\n", m.frames, m.total);
    if (m.frames != 6 || m.total != 3.0 + 16.0) wrong = true;
    for (int g : guests) {
        const auto& gm = bank.meter(g);
        if (gm.frames != 4 || gm.total != 4 * 0.5 * (g + 1)) wrong = true;
    }
    std::puts(wrong ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
