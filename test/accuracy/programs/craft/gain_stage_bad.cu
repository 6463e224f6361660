// Streaming gain stage fed from a pinned ring buffer; assembled with a builder.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace dsp {

class CudaCategory : public std::error_category {
public:
    const char* name() const noexcept override { return "cuda"; }
    std::string message(int ev) const override { return cudaGetErrorString(static_cast<cudaError_t>(ev)); }
};

void throwIfError(cudaError_t e) {
    static const CudaCategory category;
    if (e != cudaSuccess) throw std::system_error(static_cast<int>(e), category);
}

constexpr int kSlots = 3;

struct GainParams {
    float gain = 1.f;
    float offset = 0.f;
};

__global__ void applyGain(const float* in, float* out, int n, GainParams p) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * p.gain + p.offset;
}

struct DeviceDelete {
    void operator()(void* p) const { cudaFree(p); }
};
struct PinnedDelete {
    void operator()(void* p) const { cudaFreeHost(p); }
};
template <typename T>
using DevicePtr = std::unique_ptr<T, DeviceDelete>;
template <typename T>
using PinnedPtr = std::unique_ptr<T, PinnedDelete>;

template <typename T>
DevicePtr<T> deviceAlloc(size_t n) {
    void* p = nullptr;
    throwIfError(cudaMalloc(&p, n * sizeof(T)));
    return DevicePtr<T>(static_cast<T*>(p));
}
template <typename T>
PinnedPtr<T> pinnedAlloc(size_t n) {
    void* p = nullptr;
    throwIfError(cudaMallocHost(&p, n * sizeof(T)));
    return PinnedPtr<T>(static_cast<T*>(p));
}

class GainStage {
public:
    class Builder {
    public:
        Builder& block(int samples) { samples_ = samples; return *this; }
        Builder& gain(float g) { params_.gain = g; return *this; }
        Builder& offset(float o) { params_.offset = o; return *this; }
        std::unique_ptr<GainStage> build() const {
            if (!samples_) return nullptr;
            return std::unique_ptr<GainStage>(new GainStage(*samples_, params_));
        }

    private:
        std::optional<int> samples_;
        GainParams params_;
    };

    ~GainStage() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void setGain(float g) { params_.gain = g; }

    // Producer side: fill the slot at the head of the ring, then run.
    std::vector<float> push(const std::vector<float>& block) {
        float* slot = ring_[head_].get();
        std::copy(block.begin(), block.end(), slot);
        if (!exec_) exec_ = record(slot);
        throwIfError(cudaGraphLaunch(exec_, stream_));
        throwIfError(cudaStreamSynchronize(stream_));
        head_ = (head_ + 1) % kSlots;
        return {result_.get(), result_.get() + samples_};
    }

private:
    GainStage(int samples, GainParams params) : samples_(samples), params_(params) {
        for (auto& slot : ring_) slot = pinnedAlloc<float>(samples);
        result_ = pinnedAlloc<float>(samples);
        in_ = deviceAlloc<float>(samples);
        out_ = deviceAlloc<float>(samples);
        throwIfError(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }

    cudaGraphExec_t record(const float* slot) {
        const size_t bytes = samples_ * sizeof(float);
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        throwIfError(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        throwIfError(cudaMemcpyAsync(in_.get(), slot, bytes, cudaMemcpyHostToDevice, stream_));  // HAZARD frozen #slot
        applyGain<<<(samples_ + 127) / 128, 128, 0, stream_>>>(in_.get(), out_.get(), samples_, params_);  // HAZARD frozen #gain
        throwIfError(cudaMemcpyAsync(result_.get(), out_.get(), bytes, cudaMemcpyDeviceToHost, stream_));
        throwIfError(cudaStreamEndCapture(stream_, &graph));
        throwIfError(cudaGraphInstantiate(&exec, graph, 0));
        throwIfError(cudaGraphDestroy(graph));
        return exec;
    }

    int samples_;
    GainParams params_;
    std::array<PinnedPtr<float>, kSlots> ring_;
    PinnedPtr<float> result_;
    DevicePtr<float> in_, out_;
    size_t head_ = 0;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace dsp

int main() {
    constexpr int kBlock = 480;
    bool staleSlot = false, staleGain = false, failed = false;
    try {
        auto stage = dsp::GainStage::Builder().block(kBlock).gain(2.f).offset(1.f).build();
        for (int b = 0; b < 7; ++b) {  // constant gain
            const float v = 10.f + b;
            for (float y : stage->push(std::vector<float>(kBlock, v))) staleSlot |= (y != 2.f * v + 1.f);
        }
        for (int b = 0; b < 6; ++b) {  // automation: constant input, moving gain
            stage->setGain(3.f + b);
            for (float y : stage->push(std::vector<float>(kBlock, 4.f))) staleGain |= (y != (3.f + b) * 4.f + 1.f);
        }
    } catch (const std::system_error& e) {
        std::printf("error: %s\n", e.what());
        failed = true;
    }
    std::puts(!failed && staleSlot && staleGain ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
