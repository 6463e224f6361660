// A small frame graph of a game: a shadow pass and a tone mapping pass are recorded once and replayed each frame, while
// the sun moves across the sky.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#define GPU_CHECK(expr)                                                                              \
    do {                                                                                             \
        const cudaError_t gpuRc = (expr);                                                            \
        if (gpuRc != cudaSuccess) {                                                                  \
            std::printf("%s: %s\nLABEL NOT CONFIRMED\n", #expr, cudaGetErrorString(gpuRc));          \
            std::exit(1);                                                                            \
        }                                                                                            \
    } while (0)

namespace render {

struct SunLight {
    float azimuth = 0.0f;
    float elevation = 1.0f;
    float intensity = 1.0f;
};

struct FrameView {
    const float* depth = nullptr;
    float* shadow = nullptr;
    float* color = nullptr;
    int pixels = 0;
};

constexpr int kBlock = 128;
inline int blocksFor(int n) { return (n + kBlock - 1) / kBlock; }

__global__ void projectShadow(const float* depth, float* shadow, int n, SunLight sun) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) shadow[i] = depth[i] * sun.elevation + sun.azimuth;
}

__global__ void toneMap(const float* shadow, float* color, int n, float exposure) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) color[i] = shadow[i] * exposure;
}

class RenderPass {
public:
    virtual ~RenderPass() = default;
    virtual void record(cudaStream_t stream, const FrameView& view) = 0;
};

class ShadowPass final : public RenderPass {
public:
    explicit ShadowPass(const SunLight& sun) : sun_(sun) {}
    void record(cudaStream_t stream, const FrameView& view) override {
        projectShadow<<<blocksFor(view.pixels), kBlock, 0, stream>>>(view.depth, view.shadow, view.pixels, sun_);  // HAZARD frozen #sun
        GPU_CHECK(cudaGetLastError());
    }

private:
    const SunLight& sun_;
};

class ToneMapPass final : public RenderPass {
public:
    explicit ToneMapPass(float exposure) : exposure_(exposure) {}
    void record(cudaStream_t stream, const FrameView& view) override {
        toneMap<<<blocksFor(view.pixels), kBlock, 0, stream>>>(view.shadow, view.color, view.pixels, exposure_);
        GPU_CHECK(cudaGetLastError());
    }

private:
    const float exposure_;
};

class FrameGraph {
public:
    ~FrameGraph() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    void add(std::unique_ptr<RenderPass> pass) { passes_.push_back(std::move(pass)); }

    void compile(cudaStream_t stream, const FrameView& view) {
        GPU_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        for (const auto& pass : passes_) pass->record(stream, view);
        cudaGraph_t graph = nullptr;
        GPU_CHECK(cudaStreamEndCapture(stream, &graph));
        GPU_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        GPU_CHECK(cudaGraphDestroy(graph));
    }

    void execute(cudaStream_t stream) const { GPU_CHECK(cudaGraphLaunch(exec_, stream)); }

private:
    std::vector<std::unique_ptr<RenderPass>> passes_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace render

class World {
public:
    render::SunLight& sun() { return sun_; }
    void tick(float hours) {
        sun_.azimuth += 15.0f * hours;  // HAZARD frozen #sun
        sun_.elevation = std::cos(sun_.azimuth * 0.0174533f);
    }

private:
    render::SunLight sun_;
};

int main() {
    constexpr int kPixels = 640;
    constexpr float kExposure = 0.5f;
    cudaStream_t stream;
    GPU_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    std::vector<float> depth(kPixels), color(kPixels);
    for (int i = 0; i < kPixels; ++i) depth[i] = 1.0f + 0.25f * float(i % 32);
    float* device = nullptr;
    GPU_CHECK(cudaMalloc(&device, 3 * kPixels * sizeof(float)));
    GPU_CHECK(cudaMemcpy(device, depth.data(), kPixels * sizeof(float), cudaMemcpyHostToDevice));
    render::FrameView view{device, device + kPixels, device + 2 * kPixels, kPixels};

    World world;
    render::FrameGraph frames;
    frames.add(std::make_unique<render::ShadowPass>(world.sun()));
    frames.add(std::make_unique<render::ToneMapPass>(kExposure));
    frames.compile(stream, view);

    int wrongFrames = 0;
    for (int frame = 0; frame < 4; ++frame) {
        world.tick(0.5f);
        frames.execute(stream);
        GPU_CHECK(cudaMemcpyAsync(color.data(), view.color, kPixels * sizeof(float), cudaMemcpyDeviceToHost, stream));
        GPU_CHECK(cudaStreamSynchronize(stream));
        float worst = 0.0f;
        for (int i = 0; i < kPixels; ++i) {
            const float expected = (depth[i] * world.sun().elevation + world.sun().azimuth) * kExposure;
            worst = std::fmax(worst, std::fabs(expected - color[i]));
        }
        if (worst > 0.01f) ++wrongFrames;
        std::printf("frame %d: azimuth %.1f, worst error %g\n", frame, world.sun().azimuth, worst);
    }
    cudaFree(device);
    cudaStreamDestroy(stream);

    const bool confirmed = wrongFrames == 4;
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL NOT CONFIRMED: %d wrong frames\n", wrongFrames);
    return confirmed ? 0 : 1;
}
