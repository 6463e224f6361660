// Particle splat and tonemap passes of the frame, driven by a pass list.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

static int gErrors = 0;

#define GFX_CHECK(expr)                                                              \
    do {                                                                             \
        cudaError_t gfxErr_ = (expr);                                                \
        if (gfxErr_ != cudaSuccess) {                                                \
            std::fprintf(stderr, "%s: %s\n", #expr, cudaGetErrorString(gfxErr_));    \
            ++gErrors;                                                               \
        }                                                                            \
    } while (0)

constexpr int kMaxParticles = 1024;

struct FrameConstants {
    int live = 128;
    float exposure = 1.0f;
};

__global__ void splatParticles(const float* energy, float* film, const FrameConstants* fc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fc->live) film[i] = energy[i];
}

__global__ void tonemap(const float* film, float* ldr, const FrameConstants* fc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kMaxParticles) ldr[i] = film[i] * fc->exposure;
}

struct FrameTargets {
    float* energy = nullptr;
    float* film = nullptr;
    float* ldr = nullptr;
    FrameConstants* constants = nullptr;
};

class IRenderPass {
public:
    virtual ~IRenderPass() = default;
    virtual void gather(FrameConstants& fc) const = 0;
    virtual void record(const FrameTargets& t, cudaStream_t stream) = 0;
};

class SplatPass final : public IRenderPass {
public:
    void setLiveCount(int live) { live_ = live; }
    void gather(FrameConstants& fc) const override { fc.live = live_; }
    void record(const FrameTargets& t, cudaStream_t stream) override {
        GFX_CHECK(cudaMemsetAsync(t.film, 0, kMaxParticles * sizeof(float), stream));
        splatParticles<<<kMaxParticles / 128, 128, 0, stream>>>(t.energy, t.film, t.constants);
    }
private:
    int live_ = 128;
};

class TonemapPass final : public IRenderPass {
public:
    void onExposure(float ev) { exposure_ = std::exp2(ev); }
    void gather(FrameConstants& fc) const override { fc.exposure = exposure_; }
    void record(const FrameTargets& t, cudaStream_t stream) override {
        tonemap<<<kMaxParticles / 128, 128, 0, stream>>>(t.film, t.ldr, t.constants);
    }
private:
    float exposure_ = 1.0f;
};

class CameraSettings {
public:
    using Listener = std::function<void(float)>;
    void subscribe(Listener l) { listeners_.push_back(std::move(l)); }
    void setEv(float ev) {
        for (auto& l : listeners_) l(ev);
    }
private:
    std::vector<Listener> listeners_;
};

class FrameRenderer {
public:
    FrameRenderer() {
        GFX_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        const size_t bytes = kMaxParticles * sizeof(float);
        GFX_CHECK(cudaMalloc(&targets_.energy, bytes));
        GFX_CHECK(cudaMalloc(&targets_.film, bytes));
        GFX_CHECK(cudaMalloc(&targets_.ldr, bytes));
        GFX_CHECK(cudaMalloc(&targets_.constants, sizeof(FrameConstants)));
        std::vector<float> ones(kMaxParticles, 1.0f);
        GFX_CHECK(cudaMemcpy(targets_.energy, ones.data(), bytes, cudaMemcpyHostToDevice));
    }
    ~FrameRenderer() {
        if (frame_) cudaGraphExecDestroy(frame_);
        cudaStreamDestroy(stream_);
        cudaFree(targets_.energy);
        cudaFree(targets_.film);
        cudaFree(targets_.ldr);
        cudaFree(targets_.constants);
    }
    template <class P>
    P* addPass() {
        passes_.push_back(std::make_unique<P>());
        return static_cast<P*>(passes_.back().get());
    }
    void render() {
        if (!frame_) buildFrame();
        FrameConstants fc;
        for (const auto& pass : passes_) pass->gather(fc);
        GFX_CHECK(cudaMemcpyAsync(targets_.constants, &fc, sizeof(fc), cudaMemcpyHostToDevice, stream_));
        GFX_CHECK(cudaGraphLaunch(frame_, stream_));
        GFX_CHECK(cudaStreamSynchronize(stream_));
    }
    double luminance() const {
        std::vector<float> px(kMaxParticles);
        GFX_CHECK(cudaMemcpy(px.data(), targets_.ldr, px.size() * sizeof(float), cudaMemcpyDeviceToHost));
        double sum = 0;
        for (float p : px) sum += p;
        return sum;
    }
private:
    void buildFrame() {
        cudaGraph_t graph = nullptr;
        GFX_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (auto& pass : passes_) pass->record(targets_, stream_);
        GFX_CHECK(cudaStreamEndCapture(stream_, &graph));
        GFX_CHECK(cudaGraphInstantiate(&frame_, graph, 0));
        GFX_CHECK(cudaGraphDestroy(graph));
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t frame_ = nullptr;
    FrameTargets targets_;
    std::vector<std::unique_ptr<IRenderPass>> passes_;
};

int main() {
    FrameRenderer renderer;
    CameraSettings camera;
    SplatPass* splat = renderer.addPass<SplatPass>();
    TonemapPass* tone = renderer.addPass<TonemapPass>();
    camera.subscribe([tone](float ev) { tone->onExposure(ev); });

    const int live[3] = {128, 512, 1024};
    const float ev[3] = {0.0f, 1.0f, 2.0f};
    double got[3];
    for (int f = 0; f < 3; ++f) {
        splat->setLiveCount(live[f]);
        camera.setEv(ev[f]);
        renderer.render();
        got[f] = renderer.luminance();
    }
    const bool hit = gErrors == 0 && got[0] == 128 && got[1] == 1024 && got[2] == 4096;
    std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED errors=%d %g %g %g\n", gErrors, got[0], got[1], got[2]);
    return 0;
}
