// Temporal accumulation with two history buffers and one graph per direction.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace taa {

constexpr int kPixels = 512;

inline void must(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    std::printf("LABEL REFUTED line %d: %s\n", line, cudaGetErrorString(e));
    std::exit(0);
}
#define MUST(x) ::taa::must((x), __LINE__)

constexpr std::array<float, 8> kJitter{0.5f, 0.25f, 0.75f, 0.125f, 0.625f, 0.375f, 0.875f, 0.0625f};

__global__ void nextFrame(unsigned* frame) { *frame += 1; }

__global__ void resolve(const float* history, float* output, const float* jitter, const unsigned* frame) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) output[i] = history[i] + jitter[*frame % 8];
}

struct FrameStats {
    unsigned frames = 0;
    unsigned keyframes = 0;
};

class Accumulator {
public:
    Accumulator() {
        MUST(cudaStreamCreateWithFlags(&queue_, cudaStreamNonBlocking));
        MUST(cudaMalloc(&jitter_, sizeof(kJitter)));
        MUST(cudaMemcpy(jitter_, kJitter.data(), sizeof(kJitter), cudaMemcpyHostToDevice));
        MUST(cudaMalloc(&frame_, sizeof(unsigned)));
        MUST(cudaMemset(frame_, 0, sizeof(unsigned)));
        for (float*& h : history_) {
            MUST(cudaMalloc(&h, kPixels * sizeof(float)));
            MUST(cudaMemset(h, 0, kPixels * sizeof(float)));
        }
    }
    ~Accumulator() {
        for (cudaGraphExec_t g : direction_)
            if (g) cudaGraphExecDestroy(g);
        for (float* h : history_) cudaFree(h);
        cudaFree(jitter_);
        cudaFree(frame_);
        cudaStreamDestroy(queue_);
    }
    Accumulator(const Accumulator&) = delete;
    Accumulator& operator=(const Accumulator&) = delete;

    void prepare() {
        for (int side = 0; side < 2; ++side) compile(side);
    }

    void tick() {
        MUST(cudaGraphLaunch(direction_[side_], queue_));
        advance();
        side_ ^= 1;
    }

    float pixel() {
        float v = 0;
        MUST(cudaMemcpyAsync(&v, history_[side_], sizeof v, cudaMemcpyDeviceToHost, queue_));
        MUST(cudaStreamSynchronize(queue_));
        return v;
    }
    const FrameStats& stats() const { return stats_; }

private:
    void advance() {
        if (stats_.frames % 4 == 0) ++stats_.keyframes;
        ++stats_.frames;
    }

    void record(int side) {
        resolve<<<kPixels / 128, 128, 0, queue_>>>(history_[side], history_[side ^ 1], jitter_, frame_);
        nextFrame<<<1, 1, 0, queue_>>>(frame_);
    }

    void compile(int side) {
        cudaGraph_t graph = nullptr;
        MUST(cudaStreamBeginCapture(queue_, cudaStreamCaptureModeThreadLocal));
        record(side);
        MUST(cudaStreamEndCapture(queue_, &graph));
        MUST(cudaGraphInstantiate(&direction_[side], graph, 0));
        MUST(cudaGraphDestroy(graph));
    }

    cudaStream_t queue_ = nullptr;
    std::array<float*, 2> history_{};
    std::array<cudaGraphExec_t, 2> direction_{};
    float* jitter_ = nullptr;
    unsigned* frame_ = nullptr;
    int side_ = 0;
    FrameStats stats_;
};

}  // namespace taa

int main() {
    constexpr int kFrames = 8;
    taa::Accumulator acc;
    acc.prepare();
    for (int f = 0; f < kFrames; ++f) acc.tick();
    const float got = acc.pixel();

    float all = 0;
    for (float j : taa::kJitter) all += j;
    const auto& s = acc.stats();
    const bool confirmed = got == all && s.frames == 8 && s.keyframes == 2;
    if (confirmed)
        std::printf("LABEL CONFIRMED\n");
    else
        std::printf("LABEL REFUTED got=%g all=%g frames=%u keyframes=%u\n", got, all, s.frames, s.keyframes);
    return 0;
}
