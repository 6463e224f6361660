// Channel strips for a mixing desk. A strip is composed with operator| and recorded once, then fed block by block.
#include <cuda_runtime.h>

#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace desk {

constexpr int kFrames = 4096, kThreads = 256, kBlocks = kFrames / kThreads;

inline void expect(cudaError_t e, const char* step) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(step) + ": " + cudaGetErrorString(e));
}

__global__ void applyGain(int* pcm, int num, int den) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    pcm[i] = pcm[i] * num / den;
}

__global__ void applyLimit(int* pcm, int ceiling) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    pcm[i] = max(-ceiling, min(ceiling, pcm[i]));
}

__global__ void rectify(const int* pcm, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = abs(pcm[i]);
}

__global__ void findPeak(const int* pcm, int* peak) {
    __shared__ int best[kThreads];
    int m = 0;
    for (int i = threadIdx.x; i < kFrames; i += kThreads) m = max(m, abs(pcm[i]));
    best[threadIdx.x] = m;
    __syncthreads();
    for (int w = kThreads / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + w]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *peak = best[0];
}

// ---- what the stages of a strip share --------------------------------------------------------------

struct Levels {
    int peak;
    int loudness;
};

class Rack {
public:
    Rack() {
        expect(cudaStreamCreateWithFlags(&audio, cudaStreamNonBlocking), "audio stream");
        expect(cudaStreamCreateWithFlags(&meters, cudaStreamNonBlocking), "meter stream");
        expect(cudaEventCreateWithFlags(&tap, cudaEventDisableTiming), "event");
        expect(cudaEventCreateWithFlags(&metered, cudaEventDisableTiming), "event");
        expect(cudaMalloc(&pcm, kFrames * sizeof(int)), "pcm");
        expect(cudaMalloc(&rectified, kFrames * sizeof(int)), "rectified");
        expect(cudaMalloc(&levels, sizeof(Levels)), "levels");
        expect(cudaMallocHost(&in, kFrames * sizeof(int)), "in");
        expect(cudaMallocHost(&out, kFrames * sizeof(int)), "out");
        expect(cudaMallocHost(&shown, sizeof(Levels)), "shown");
        expect(cub::DeviceReduce::Sum(nullptr, workBytes, rectified, &levels->loudness, kFrames), "work size");
        expect(cudaMalloc(&work, workBytes), "work");
        expect(cudaMemset(pcm, 0, kFrames * sizeof(int)), "clear");
        expect(cudaMemset(rectified, 0, kFrames * sizeof(int)), "clear");
        expect(cudaMemset(levels, 0, sizeof(Levels)), "clear");
        expect(cudaDeviceSynchronize(), "clear");
    }
    ~Rack() {
        for (void* p : {(void*)pcm, (void*)rectified, (void*)levels, work}) cudaFree(p);
        for (void* p : {(void*)in, (void*)out, (void*)shown}) cudaFreeHost(p);
        cudaEventDestroy(tap);
        cudaEventDestroy(metered);
        cudaStreamDestroy(audio);
        cudaStreamDestroy(meters);
    }
    Rack(const Rack&) = delete;

    cudaStream_t audio{}, meters{};
    cudaEvent_t tap{}, metered{};
    int *pcm = nullptr, *rectified = nullptr;
    Levels* levels = nullptr;
    int *in = nullptr, *out = nullptr;
    Levels* shown = nullptr;
    void* work = nullptr;
    size_t workBytes = 0;
};

// ---- stages and composition ------------------------------------------------------------------------

using Stage = std::function<void(Rack&)>;

Stage operator|(Stage a, Stage b) {
    return [a = std::move(a), b = std::move(b)](Rack& r) {
        a(r);
        b(r);
    };
}

Stage source() {
    return [](Rack& r) {
        expect(cudaMemcpyAsync(r.pcm, r.in, kFrames * sizeof(int), cudaMemcpyHostToDevice, r.audio), "source");
    };
}

Stage gain(int num, int den) {
    return [=](Rack& r) { applyGain<<<kBlocks, kThreads, 0, r.audio>>>(r.pcm, num, den); };
}

Stage limit(int ceiling) {
    return [=](Rack& r) { applyLimit<<<kBlocks, kThreads, 0, r.audio>>>(r.pcm, ceiling); };
}

// Metering has its own stream so that it does not delay the audio path.
Stage peakMeter() {
    return [](Rack& r) {
        expect(cudaEventRecord(r.tap, r.audio), "tap");
        expect(cudaStreamWaitEvent(r.meters, r.tap, 0), "tap");
        findPeak<<<1, kThreads, 0, r.meters>>>(r.pcm, &r.levels->peak);
        expect(cudaGetLastError(), "peak meter");
        expect(cudaEventRecord(r.metered, r.meters), "metered");
    };
}

Stage loudness() {
    return [](Rack& r) {
        rectify<<<kBlocks, kThreads, 0, r.audio>>>(r.pcm, r.rectified);
        expect(cub::DeviceReduce::Sum(r.work, r.workBytes, r.rectified, &r.levels->loudness, kFrames, r.audio),
               "loudness");
    };
}

Stage sink() {
    return [](Rack& r) {
        expect(cudaMemcpyAsync(r.out, r.pcm, kFrames * sizeof(int), cudaMemcpyDeviceToHost, r.audio), "sink");
        expect(cudaStreamWaitEvent(r.audio, r.metered, 0), "metered");
        expect(cudaMemcpyAsync(r.shown, r.levels, sizeof(Levels), cudaMemcpyDeviceToHost, r.audio), "levels");
    };
}

// ---- a recorded strip ------------------------------------------------------------------------------

struct BlockResult {
    std::vector<int> pcm;
    Levels levels;
};

class Strip {
public:
    explicit Strip(const Stage& chain) : rack_(std::make_unique<Rack>()) {
        // Sets the meters for silence before the first block.
        findPeak<<<1, kThreads, 0, rack_->meters>>>(rack_->pcm, &rack_->levels->peak);
        expect(cub::DeviceReduce::Sum(rack_->work, rack_->workBytes, rack_->rectified, &rack_->levels->loudness, kFrames),
               "silence");
        expect(cudaDeviceSynchronize(), "silence");

        cudaGraph_t graph = nullptr;
        expect(cudaStreamBeginCapture(rack_->audio, cudaStreamCaptureModeThreadLocal), "begin");
        try {
            chain(*rack_);
        } catch (...) {
            cudaStreamEndCapture(rack_->audio, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        expect(cudaStreamEndCapture(rack_->audio, &graph), "end");
        cudaError_t e = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        expect(e, "instantiate");
    }
    ~Strip() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    Strip(const Strip&) = delete;

    BlockResult process(const std::vector<int>& block) {
        std::copy(block.begin(), block.end(), rack_->in);
        expect(cudaGraphLaunch(exec_, rack_->audio), "launch");
        expect(cudaStreamSynchronize(rack_->audio), "process");
        return {std::vector<int>(rack_->out, rack_->out + kFrames), *rack_->shown};
    }

private:
    std::unique_ptr<Rack> rack_;
    cudaGraphExec_t exec_{};
};

}  // namespace desk

// ---- self test -------------------------------------------------------------------------------------

static std::vector<int> makeBlock(int k) {
    std::vector<int> b(desk::kFrames);
    for (int i = 0; i < desk::kFrames; ++i) b[i] = (i * (211 + 6 * k)) % (6001 + 500 * k) - 3000;
    return b;
}

static desk::BlockResult reference(std::vector<int> b, int num, int den, int ceiling) {
    desk::Levels l{0, 0};
    for (int& x : b) {
        x = std::clamp(x * num / den, -ceiling, ceiling);
        l.peak = std::max(l.peak, std::abs(x));
        l.loudness += std::abs(x);
    }
    return {b, l};
}

int main() {
    bool confirmed = false;
    try {
        cudaFree(nullptr);
        using namespace desk;
        Strip vocals(source() | gain(3, 2) | limit(5400) | peakMeter() | loudness() | sink());
        Strip drums(source() | gain(1, 2) | limit(5400) | peakMeter() | loudness() | sink());

        int audioRight = 0, peakRight = 0, loudRight = 0;
        for (int k = 0; k < 3; ++k) {
            const std::vector<int> block = makeBlock(k);
            for (int s = 0; s < 2; ++s) {
                const BlockResult got = (s == 0 ? vocals : drums).process(block);
                const BlockResult want = reference(block, s == 0 ? 3 : 1, 2, 5400);
                audioRight += got.pcm == want.pcm;
                peakRight += got.levels.peak == want.levels.peak;
                loudRight += got.levels.loudness == want.levels.loudness;
            }
        }
        std::printf("audio %d/6 peak %d/6 loudness %d/6\n", audioRight, peakRight, loudRight);
        confirmed = audioRight == 6 && peakRight == 6 && loudRight == 6;
    } catch (const std::exception& e) {
        std::printf("error: %s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
