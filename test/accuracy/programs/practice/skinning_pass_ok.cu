// GPU skinning for animated characters. Game thread and GPU work on alternating frame contexts; the skinning pass is
// replayed from CUDA graphs.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#define GFX_VERIFY(x) gfx::verify((x), #x, __LINE__)

namespace gfx {

int errorCount = 0;

void verify(cudaError_t e, const char* expr, int line) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s = %s\n", line, expr, cudaGetErrorName(e));
    ++errorCount;
}

constexpr int kBones = 32;
constexpr int kVertices = 6000;
constexpr int kFramesInFlight = 2;

struct Bone {
    float scale;
    float tx, ty, tz;
};

struct Vertex {
    float x, y, z;
    int bone;
};

struct DrawConstants {
    float morphWeight;
    float pad[3];
};

// Everything the CPU writes for one frame; pinned so that uploads are asynchronous.
struct FrameContext {
    Bone* palette = nullptr;
    DrawConstants* constants = nullptr;
    cudaEvent_t consumed = nullptr;

    void create() {
        GFX_VERIFY(cudaMallocHost(&palette, kBones * sizeof(Bone)));
        GFX_VERIFY(cudaMallocHost(&constants, sizeof(DrawConstants)));
        GFX_VERIFY(cudaEventCreateWithFlags(&consumed, cudaEventDisableTiming));
    }
    void destroy() {
        GFX_VERIFY(cudaFreeHost(palette));
        GFX_VERIFY(cudaFreeHost(constants));
        GFX_VERIFY(cudaEventDestroy(consumed));
    }
};

__global__ void skin(const Vertex* bind, const Bone* palette, const DrawConstants* constants, float3* out, int count) {
    const float morph = constants->morphWeight;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const Vertex v = bind[i];
    const Bone b = palette[v.bone];
    out[i] = make_float3(b.scale * v.x + b.tx + morph, b.scale * v.y + b.ty + morph, b.scale * v.z + b.tz + morph);
}

class SkinningPass {
public:
    explicit SkinningPass(const std::vector<Vertex>& bindPose) : count_(static_cast<int>(bindPose.size())) {
        GFX_VERIFY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        GFX_VERIFY(cudaMalloc(&bind_, count_ * sizeof(Vertex)));
        GFX_VERIFY(cudaMalloc(&skinned_, count_ * sizeof(float3)));
        GFX_VERIFY(cudaMalloc(&palette_, kBones * sizeof(Bone)));
        GFX_VERIFY(cudaMalloc(&constants_, sizeof(DrawConstants)));
        GFX_VERIFY(cudaMemcpy(bind_, bindPose.data(), count_ * sizeof(Vertex), cudaMemcpyHostToDevice));
        GFX_VERIFY(cudaDeviceSynchronize());
        for (auto& frame : frames_) frame.create();
    }
    ~SkinningPass() {
        GFX_VERIFY(cudaStreamSynchronize(stream_));
        for (auto exec : execs_)
            if (exec) cudaGraphExecDestroy(exec);
        cudaFree(constants_);
        for (auto& frame : frames_) frame.destroy();
        cudaFree(bind_);
        cudaFree(skinned_);
        cudaFree(palette_);
        cudaStreamDestroy(stream_);
    }

    // Returns the context the game may fill for this frame.
    FrameContext& beginFrame() {
        FrameContext& frame = frames_[frameIndex_ % kFramesInFlight];
        if (frameIndex_ >= kFramesInFlight) GFX_VERIFY(cudaEventSynchronize(frame.consumed));
        return frame;
    }

    void submit() {
        const int slot = frameIndex_ % kFramesInFlight;
        FrameContext& frame = frames_[slot];
        if (!execs_[slot]) execs_[slot] = record(frame);
        GFX_VERIFY(cudaGraphLaunch(execs_[slot], stream_));
        GFX_VERIFY(cudaEventRecord(frame.consumed, stream_));
        ++frameIndex_;
    }

    std::vector<float3> readSkinned() {
        std::vector<float3> host(count_);
        GFX_VERIFY(cudaStreamSynchronize(stream_));
        GFX_VERIFY(cudaMemcpy(host.data(), skinned_, count_ * sizeof(float3), cudaMemcpyDeviceToHost));
        return host;
    }

private:
    cudaGraphExec_t record(const FrameContext& frame) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        const int groups = (count_ + 127) / 128;
        GFX_VERIFY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        GFX_VERIFY(cudaMemcpyAsync(palette_, frame.palette, kBones * sizeof(Bone), cudaMemcpyHostToDevice, stream_));
        GFX_VERIFY(cudaMemcpyAsync(constants_, frame.constants, sizeof(DrawConstants), cudaMemcpyHostToDevice, stream_));
        skin<<<groups, 128, 0, stream_>>>(bind_, palette_, constants_, skinned_, count_);
        GFX_VERIFY(cudaStreamEndCapture(stream_, &graph));
        GFX_VERIFY(cudaGraphInstantiate(&exec, graph, 0));
        GFX_VERIFY(cudaGraphDestroy(graph));
        return exec;
    }

    const int count_;
    int frameIndex_ = 0;
    cudaStream_t stream_ = nullptr;
    Vertex* bind_ = nullptr;
    float3* skinned_ = nullptr;
    Bone* palette_ = nullptr;
    DrawConstants* constants_ = nullptr;
    std::array<cudaGraphExec_t, kFramesInFlight> execs_{};
    std::array<FrameContext, kFramesInFlight> frames_;
};

}  // namespace gfx

static void animate(int frame, gfx::FrameContext& ctx) {
    for (int b = 0; b < gfx::kBones; ++b) {
        const float phase = 0.3f * b + 0.5f * frame;
        ctx.palette[b] = {1.0f + 0.2f * std::sin(phase), std::cos(phase), 0.5f * phase, -phase};
    }
    ctx.constants->morphWeight = 0.25f * frame;
}

int main() {
    std::vector<gfx::Vertex> bind(gfx::kVertices);
    for (int i = 0; i < gfx::kVertices; ++i) bind[i] = {0.01f * (i % 100), 0.02f * (i % 77), 0.03f * (i % 51), i % gfx::kBones};

    int wrongFrames = 0;
    {
        gfx::SkinningPass pass(bind);
        for (int frame = 0; frame < 8; ++frame) {
            gfx::FrameContext& ctx = pass.beginFrame();
            animate(frame, ctx);
            pass.submit();

            const std::vector<float3> got = pass.readSkinned();
            float worst = 0.0f;
            for (int i = 0; i < gfx::kVertices; ++i) {
                const gfx::Bone& b = ctx.palette[bind[i].bone];
                const float m = 0.25f * frame;
                worst = std::fmax(worst, std::fabs(got[i].x - (b.scale * bind[i].x + b.tx + m)));
                worst = std::fmax(worst, std::fabs(got[i].y - (b.scale * bind[i].y + b.ty + m)));
                worst = std::fmax(worst, std::fabs(got[i].z - (b.scale * bind[i].z + b.tz + m)));
            }
            if (worst > 1e-3f) ++wrongFrames;
        }
    }
    std::printf("wrong frames: %d, errors: %d\n", wrongFrames, gfx::errorCount);
    std::puts(wrongFrames == 0 && gfx::errorCount == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
