#include <cuda_runtime.h>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK_GPU(x) ::kite::CheckGpu((x), #x, __FILE__, __LINE__)

namespace kite {

inline void CheckGpu(cudaError_t err, const char* expr, const char* file, int line) {
    if (err == cudaSuccess) return;
    std::fprintf(stderr, "%s(%d): %s: %s\n", file, line, expr, cudaGetErrorString(err));
    std::puts("LABEL REFUTED");
    std::exit(0);
}

constexpr int kMaxBones = 64;
constexpr int kVertexCount = 4096;

struct Mat34 {
    float m[12];
};
struct Rig {
    int boneCount;
    float scale;
};
struct Vertex {
    float p[3];
    int bone;
};

// Inverse bind pose of every bone, as the shader wants it.
struct BindPaletteBlock {
    Mat34 invBind[kMaxBones];
};

__global__ void SkinVertices(const Vertex* in, float* outY, const BindPaletteBlock* bind, const float* boneHeight) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kVertexCount) return;
    const Vertex v = in[i];
    const float* m = bind->invBind[v.bone].m;
    const float local = m[4] * v.p[0] + m[5] * v.p[1] + m[6] * v.p[2] + m[7];
    outY[i] = local + boneHeight[v.bone];
}

class CommandList {
public:
    explicit CommandList(cudaStream_t queue) : m_queue(queue) {}
    ~CommandList() { Reset(); }
    CommandList(const CommandList&) = delete;
    CommandList& operator=(const CommandList&) = delete;

    void Begin() {
        Reset();
        CHECK_GPU(cudaStreamBeginCapture(m_queue, cudaStreamCaptureModeThreadLocal));
    }
    void End() {
        cudaGraph_t graph = nullptr;
        CHECK_GPU(cudaStreamEndCapture(m_queue, &graph));
        CHECK_GPU(cudaGraphInstantiate(&m_exec, graph, 0));
        CHECK_GPU(cudaGraphDestroy(graph));
    }
    void UploadConstants(void* dst, const void* src, size_t bytes) {
        CHECK_GPU(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyHostToDevice, m_queue)); // HAZARD dangling #1
    }
    template <typename... Params, typename... Args>
    void Dispatch(void (*kernel)(Params...), int groups, int groupSize, Args... args) {
        kernel<<<groups, groupSize, 0, m_queue>>>(args...);
        CHECK_GPU(cudaGetLastError());
    }
    void Submit() { CHECK_GPU(cudaGraphLaunch(m_exec, m_queue)); }

private:
    void Reset() {
        if (m_exec) CHECK_GPU(cudaGraphExecDestroy(m_exec));
        m_exec = nullptr;
    }
    cudaStream_t m_queue;
    cudaGraphExec_t m_exec = nullptr;
};

class SkinnedMesh {
public:
    explicit SkinnedMesh(const Rig& rig) : m_rig(rig) {
        std::vector<Vertex> verts(kVertexCount);
        for (int i = 0; i < kVertexCount; ++i) verts[i] = {{0.0f, i * 0.001f, 0.0f}, i % rig.boneCount};
        CHECK_GPU(cudaMalloc(&m_vertices, sizeof(Vertex) * kVertexCount));
        CHECK_GPU(cudaMalloc(&m_skinned, sizeof(float) * kVertexCount));
        CHECK_GPU(cudaMalloc(&m_bind, sizeof(BindPaletteBlock)));
        CHECK_GPU(cudaMalloc(&m_boneHeights, sizeof(float) * kMaxBones));
        CHECK_GPU(cudaMemcpy(m_vertices, verts.data(), sizeof(Vertex) * kVertexCount, cudaMemcpyHostToDevice));
    }
    ~SkinnedMesh() {
        CHECK_GPU(cudaFree(m_vertices));
        CHECK_GPU(cudaFree(m_skinned));
        CHECK_GPU(cudaFree(m_bind));
        CHECK_GPU(cudaFree(m_boneHeights));
    }

    void Animate(const float* heights, cudaStream_t queue) {
        CHECK_GPU(cudaMemcpyAsync(m_boneHeights, heights, sizeof(float) * kMaxBones, cudaMemcpyHostToDevice, queue));
    }

    void Record(CommandList& cmd) {
        BindPaletteBlock block;
        FillBindPalette(block);
        cmd.UploadConstants(m_bind, &block, sizeof(block)); // HAZARD dangling #1
        cmd.Dispatch(SkinVertices, kVertexCount / 128, 128, m_vertices, m_skinned, m_bind, m_boneHeights);
    }

    std::vector<float> Fetch(cudaStream_t queue) const {
        std::vector<float> y(kVertexCount);
        CHECK_GPU(cudaMemcpyAsync(y.data(), m_skinned, sizeof(float) * kVertexCount, cudaMemcpyDeviceToHost, queue));
        CHECK_GPU(cudaStreamSynchronize(queue));
        return y;
    }

private:
    void FillBindPalette(BindPaletteBlock& block) const {
        std::memset(&block, 0, sizeof(block));
        for (int b = 0; b < m_rig.boneCount; ++b) {
            block.invBind[b].m[5] = m_rig.scale;
            block.invBind[b].m[7] = -0.5f * b;
        }
    }
    Rig m_rig;
    Vertex* m_vertices = nullptr;
    float* m_skinned = nullptr;
    BindPaletteBlock* m_bind = nullptr;
    float* m_boneHeights = nullptr;
};

class Renderer {
public:
    explicit Renderer(cudaStream_t queue) : m_queue(queue), m_hero({32, 2.0f}), m_cmd(queue) {}
    void LoadLevel() {
        m_cmd.Begin();
        m_hero.Record(m_cmd);
        m_cmd.End();
    }
    float RenderFrame(const float* heights) {
        m_hero.Animate(heights, m_queue);
        m_cmd.Submit();
        const std::vector<float> y = m_hero.Fetch(m_queue);
        float worst = 0.0f;
        for (int i = 0; i < kVertexCount; ++i) {
            const int b = i % 32;
            worst = std::fmax(worst, std::fabs(y[i] - (2.0f * i * 0.001f - 0.5f * b + heights[b])));
        }
        return worst;
    }

private:
    cudaStream_t m_queue;
    SkinnedMesh m_hero;
    CommandList m_cmd;
};

} // namespace kite

int main() {
    cudaStream_t queue;
    CHECK_GPU(cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking));
    bool right = true;
    {
        kite::Renderer renderer(queue);
        renderer.LoadLevel();
        for (int frame = 0; frame < 4; ++frame) {
            float heights[kite::kMaxBones];
            for (int b = 0; b < kite::kMaxBones; ++b) heights[b] = 0.1f * b + frame;
            const float worst = renderer.RenderFrame(heights);
            std::printf("frame %d worst error %g\n", frame, worst);
            right = right && worst < 1e-3f;
        }
    }
    CHECK_GPU(cudaStreamDestroy(queue));
    std::puts(right ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
    return 0;
}
