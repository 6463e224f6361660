#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#define GFX_CHECK(expr)                                                              \
    do {                                                                             \
        const cudaError_t gfxErr_ = (expr);                                          \
        if (gfxErr_ != cudaSuccess) {                                                \
            std::fprintf(stderr, "[gfx] %s: %s\n", #expr, cudaGetErrorString(gfxErr_)); \
            std::puts("LABEL REFUTED");                                              \
            std::exit(0);                                                            \
        }                                                                            \
    } while (0)

namespace gfx {

struct PassConsts {
    float gain;
    float bias;
};

__global__ void fullscreenPass(float* color, const PassConsts* cb, int pixels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) color[i] = color[i] * cb->gain + cb->bias;
}

using PassId = std::size_t;

struct PassRecord {
    std::string debugName;
    PassConsts cb{};
    PassConsts* cbGpu = nullptr;
};

class FrameGraph {
public:
    FrameGraph(int width, int height) : pixels_(width * height) {
        GFX_CHECK(cudaStreamCreateWithFlags(&queue_, cudaStreamNonBlocking));
        GFX_CHECK(cudaMalloc(&color_, sizeof(float) * pixels_));
    }
    ~FrameGraph() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (PassRecord& p : passes_) cudaFree(p.cbGpu);
        cudaFree(color_);
        cudaStreamDestroy(queue_);
    }
    FrameGraph(const FrameGraph&) = delete;
    FrameGraph& operator=(const FrameGraph&) = delete;

    PassId addPass(std::string name, PassConsts cb) {
        PassRecord rec;
        rec.debugName = std::move(name);
        rec.cb = cb;
        GFX_CHECK(cudaMalloc(&rec.cbGpu, sizeof(PassConsts)));
        passes_.push_back(std::move(rec));
        return passes_.size() - 1;
    }

    PassConsts& consts(PassId id) { return passes_[id].cb; }

    // Bakes every pass registered so far. Passes added later (debug overlays,
    // screenshots) are submitted directly on top of the baked frame.
    void bake() {
        GFX_CHECK(cudaStreamBeginCapture(queue_, cudaStreamCaptureModeThreadLocal));
        GFX_CHECK(cudaMemsetAsync(color_, 0, sizeof(float) * pixels_, queue_));
        for (const PassRecord& p : passes_) submit(p);
        cudaGraph_t graph = nullptr;
        GFX_CHECK(cudaStreamEndCapture(queue_, &graph));
        GFX_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        GFX_CHECK(cudaGraphDestroy(graph));
        baked_ = passes_.size();
    }

    void renderFrame() {
        GFX_CHECK(cudaGraphLaunch(exec_, queue_));
        for (PassId id = baked_; id < passes_.size(); ++id) submit(passes_[id]);
        GFX_CHECK(cudaStreamSynchronize(queue_));
    }

    float readPixel(int i) const {
        float v = 0.f;
        GFX_CHECK(cudaMemcpy(&v, color_ + i, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }

private:
    void submit(const PassRecord& p) {
        GFX_CHECK(cudaMemcpyAsync(p.cbGpu, &p.cb, sizeof(PassConsts), cudaMemcpyHostToDevice, queue_));
        fullscreenPass<<<(pixels_ + 127) / 128, 128, 0, queue_>>>(color_, p.cbGpu, pixels_);
        GFX_CHECK(cudaGetLastError());
    }

    int pixels_;
    cudaStream_t queue_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* color_ = nullptr;
    std::deque<PassRecord> passes_;
    std::size_t baked_ = 0;
};

}  // namespace gfx

int main() {
    gfx::FrameGraph frame(64, 32);
    const gfx::PassId sky = frame.addPass("sky", {1.f, 2.f});
    const gfx::PassId exposure = frame.addPass("exposure", {3.f, 0.f});
    frame.bake();
    frame.renderFrame();
    bool good = frame.readPixel(5) == 6.f;

    for (int i = 0; i < 6; ++i) frame.addPass("overlay" + std::to_string(i), {1.f, 0.25f});
    frame.consts(sky).bias = 4.f;
    frame.consts(exposure).gain = 0.5f;
    frame.renderFrame();
    good = good && std::fabs(frame.readPixel(7) - 3.5f) < 1e-5f;
    frame.consts(sky).bias = 10.f;
    frame.renderFrame();
    good = good && std::fabs(frame.readPixel(9) - 6.5f) < 1e-5f;
    std::puts(good ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
