// Synth voices: every voice owns its parameters and a small graph that uploads them and renders one block.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

inline void ok(cudaError_t rc) {
    if (rc != cudaSuccess) throw std::runtime_error(cudaGetErrorString(rc));
}

struct VoiceParams {
    float gain;
    float offset;
};

__global__ void renderVoice(const VoiceParams* p, float* block, int frames) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < frames) block[i] = p->gain * float(i) + p->offset;
}

struct ExecDelete {
    void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using ExecPtr = std::unique_ptr<CUgraphExec_st, ExecDelete>;

struct Voice {
    explicit Voice(const VoiceParams& p) : params(p) {}
    VoiceParams params;
    ExecPtr exec;
};

class Mixer {
public:
    static constexpr int kFrames = 256;
    static constexpr int kMaxVoices = 16;

    Mixer() {
        ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        ok(cudaMalloc(&params_, kMaxVoices * sizeof(VoiceParams)));
        ok(cudaMalloc(&blocks_, kMaxVoices * kFrames * sizeof(float)));
    }
    Mixer(const Mixer&) = delete;
    ~Mixer() {
        voices_.clear();
        cudaFree(params_);
        cudaFree(blocks_);
        cudaStreamDestroy(stream_);
    }

    std::size_t addVoice(const VoiceParams& p) {
        const std::size_t slot = voices_.size();
        if (slot == kMaxVoices) throw std::length_error("too many voices");
        Voice& voice = voices_.emplace_back(p);  // HAZARD dangling #1
        voice.exec = capture(voice, slot);
        return slot;
    }

    void setGain(std::size_t slot, float gain) { voices_.at(slot).params.gain = gain; }

    void renderBlock() {
        for (const Voice& voice : voices_) ok(cudaGraphLaunch(voice.exec.get(), stream_));
        ok(cudaStreamSynchronize(stream_));
    }

    std::vector<float> block(std::size_t slot) const {
        std::vector<float> host(kFrames);
        ok(cudaMemcpy(host.data(), blocks_ + slot * kFrames, kFrames * sizeof(float), cudaMemcpyDeviceToHost));
        return host;
    }

private:
    cudaError_t enqueue(const Voice& voice, std::size_t slot) const {
        VoiceParams* dst = params_ + slot;
        const cudaError_t rc = cudaMemcpyAsync(dst, &voice.params, sizeof voice.params, cudaMemcpyHostToDevice, stream_);  // HAZARD dangling #1
        if (rc != cudaSuccess) return rc;
        renderVoice<<<kFrames / 64, 64, 0, stream_>>>(dst, blocks_ + slot * kFrames, kFrames);
        return cudaGetLastError();
    }

    ExecPtr capture(const Voice& voice, std::size_t slot) const {
        cudaGraph_t graph = nullptr;
        ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        const cudaError_t queued = enqueue(voice, slot);
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> hold(graph, &cudaGraphDestroy);
        ok(queued);
        ok(ended);
        cudaGraphExec_t exec = nullptr;
        ok(cudaGraphInstantiate(&exec, graph, 0));
        return ExecPtr(exec);
    }

    cudaStream_t stream_ = nullptr;
    VoiceParams* params_ = nullptr;
    float* blocks_ = nullptr;
    std::vector<Voice> voices_;
};

int main() {
    try {
        Mixer mixer;
        for (int v = 0; v < 6; ++v) mixer.addVoice({float(v + 1), 0.5f});
        mixer.renderBlock();
        int wrong = 0;
        for (int round = 1; round <= 3; ++round) {
            for (int v = 0; v < 6; ++v) mixer.setGain(v, float(10 * round + v));
            mixer.renderBlock();
            for (int v = 0; v < 6; ++v) {
                const auto block = mixer.block(v);
                const float expected = float(10 * round + v) * 100.0f + 0.5f;
                if (!(std::fabs(block[100] - expected) < 1e-2f)) ++wrong;
            }
        }
        std::printf("wrong blocks: %d\n", wrong);
        std::puts(wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL UNOBSERVED\n", e.what());
    }
    return 0;
}
