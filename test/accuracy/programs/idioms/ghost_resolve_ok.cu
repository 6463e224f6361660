// Temporal resolve of a small software renderer. The frame is described as a list of passes over texture handles;
// the passes are recorded once into a CUDA graph and the graph is launched for every frame.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#define RG_CHECK(expr)                                                                        \
    do {                                                                                      \
        cudaError_t rgErr = (expr);                                                           \
        if (rgErr != cudaSuccess) {                                                           \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(rgErr)); \
            std::puts("LABEL UNOBSERVED");                                                    \
            std::exit(1);                                                                     \
        }                                                                                     \
    } while (0)

namespace rg {

struct TexHandle { int id = -1; };

struct FrameConstants {
    float exposure;
    float blend;
};

class ResourcePool {
public:
    explicit ResourcePool(int texels) : texels_(texels) {}
    ~ResourcePool() { for (float* p : memory_) cudaFree(p); }

    TexHandle create(cudaStream_t cmd) {
        float* p = nullptr;
        RG_CHECK(cudaMalloc(&p, texels_ * sizeof(float)));
        RG_CHECK(cudaMemsetAsync(p, 0, texels_ * sizeof(float), cmd));
        memory_.push_back(p);
        return TexHandle{static_cast<int>(memory_.size()) - 1};
    }
    float* deref(TexHandle h) const { return memory_[h.id]; }
    void exchange(TexHandle a, TexHandle b) { std::swap(memory_[a.id], memory_[b.id]); }
    int texels() const { return texels_; }

private:
    int texels_;
    std::vector<float*> memory_;
};

struct PassContext {
    ResourcePool& pool;
    cudaStream_t cmd;
    FrameConstants* cpuConstants;   // pinned, one copy per renderer
    FrameConstants* gpuConstants;
};

struct RenderPass {
    const char* name;
    std::function<void(PassContext&)> execute;
};

}  // namespace rg

__global__ void shadeKernel(float* color, int n, const rg::FrameConstants* fc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) color[i] = (1.0f + i % 7) * fc->exposure;
}

__global__ void resolveKernel(const float* color, const float* historyIn, float* historyOut, int n, float blend) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) historyOut[i] = blend * color[i] + (1.0f - blend) * historyIn[i];
}

class Renderer {
public:
    explicit Renderer(int texels) : pool_(texels) {
        RG_CHECK(cudaStreamCreateWithFlags(&cmd_, cudaStreamNonBlocking));
        RG_CHECK(cudaMallocHost(&cpuConstants_, sizeof(rg::FrameConstants)));
        RG_CHECK(cudaMalloc(&gpuConstants_, sizeof(rg::FrameConstants)));
        *cpuConstants_ = rg::FrameConstants{1.0f, 0.5f};
        color_ = pool_.create(cmd_);
        historyRead_ = pool_.create(cmd_);
        historyWrite_ = pool_.create(cmd_);
        backbuffer_ = pool_.create(cmd_);
        buildPasses();
        RG_CHECK(cudaStreamSynchronize(cmd_));
        // Recording a frame exchanges the history handles, so two recordings cover both roles of the two textures.
        for (cudaGraphExec_t& exec : frameExec_) exec = recordFrame();
    }
    ~Renderer() {
        for (cudaGraphExec_t exec : frameExec_) cudaGraphExecDestroy(exec);
        cudaFree(gpuConstants_);
        cudaFreeHost(cpuConstants_);
        cudaStreamDestroy(cmd_);
    }

    void drawFrame(float exposure) {
        cpuConstants_->exposure = exposure;
        RG_CHECK(cudaGraphLaunch(frameExec_[frameIndex_ & 1], cmd_));
        RG_CHECK(cudaStreamSynchronize(cmd_));
        ++frameIndex_;
    }
    std::vector<float> readColor() { return read(color_); }
    std::vector<float> readBackbuffer() { return read(backbuffer_); }

private:
    void addPass(const char* name, std::function<void(rg::PassContext&)> fn) {
        passes_.push_back(rg::RenderPass{name, std::move(fn)});
    }

    void buildPasses() {
        const int n = pool_.texels();
        const int grid = (n + 127) / 128;
        addPass("UploadConstants", [](rg::PassContext& ctx) {
            RG_CHECK(cudaMemcpyAsync(ctx.gpuConstants, ctx.cpuConstants, sizeof(rg::FrameConstants),
                                     cudaMemcpyHostToDevice, ctx.cmd));
        });
        addPass("Shade", [=](rg::PassContext& ctx) {
            shadeKernel<<<grid, 128, 0, ctx.cmd>>>(ctx.pool.deref(color_), n, ctx.gpuConstants);
            RG_CHECK(cudaGetLastError());
        });
        addPass("TemporalResolve", [=](rg::PassContext& ctx) {
            const float blend = ctx.cpuConstants->blend;   // a quality setting, chosen at start-up
            resolveKernel<<<grid, 128, 0, ctx.cmd>>>(ctx.pool.deref(color_), ctx.pool.deref(historyRead_),
                                                     ctx.pool.deref(historyWrite_), n, blend);
            RG_CHECK(cudaGetLastError());
        });
        addPass("Present", [=](rg::PassContext& ctx) {
            RG_CHECK(cudaMemcpyAsync(ctx.pool.deref(backbuffer_), ctx.pool.deref(historyWrite_), n * sizeof(float),
                                     cudaMemcpyDeviceToDevice, ctx.cmd));
        });
        addPass("FlipHistory", [=](rg::PassContext& ctx) {
            ctx.pool.exchange(historyRead_, historyWrite_);
        });
    }

    cudaGraphExec_t recordFrame() {
        rg::PassContext ctx{pool_, cmd_, cpuConstants_, gpuConstants_};
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        RG_CHECK(cudaStreamBeginCapture(cmd_, cudaStreamCaptureModeThreadLocal));
        for (rg::RenderPass& pass : passes_) pass.execute(ctx);
        RG_CHECK(cudaStreamEndCapture(cmd_, &graph));
        RG_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        RG_CHECK(cudaGraphDestroy(graph));
        return exec;
    }

    std::vector<float> read(rg::TexHandle h) {
        std::vector<float> host(pool_.texels());
        RG_CHECK(cudaMemcpy(host.data(), pool_.deref(h), host.size() * sizeof(float), cudaMemcpyDeviceToHost));
        return host;
    }

    rg::ResourcePool pool_;
    cudaStream_t cmd_ = nullptr;
    rg::FrameConstants* cpuConstants_ = nullptr;
    rg::FrameConstants* gpuConstants_ = nullptr;
    rg::TexHandle color_, historyRead_, historyWrite_, backbuffer_;
    std::vector<rg::RenderPass> passes_;
    cudaGraphExec_t frameExec_[2] = {};
    unsigned frameIndex_ = 0;
};

int main() {
    const int texels = 2048;
    Renderer renderer(texels);
    std::vector<float> previous(texels, 0.0f);
    int wrongColor = 0, wrongResolve = 0;
    for (int frame = 0; frame < 6; ++frame) {
        const float exposure = 1.0f + frame;
        renderer.drawFrame(exposure);
        std::vector<float> color = renderer.readColor();
        std::vector<float> resolved = renderer.readBackbuffer();
        for (int i = 0; i < texels; ++i) {
            if (std::fabs(color[i] - (1.0f + i % 7) * exposure) > 1e-4f) ++wrongColor;
            if (std::fabs(resolved[i] - (0.5f * color[i] + 0.5f * previous[i])) > 1e-4f) ++wrongResolve;
        }
        previous = resolved;
    }
    std::printf("texels with wrong colour: %d, with wrong history: %d\n", wrongColor, wrongResolve);
    std::puts(wrongColor == 0 && wrongResolve == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
