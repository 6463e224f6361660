#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GPU_VERIFY(expr)                                                                   \
    do {                                                                                   \
        const cudaError_t gpuErr_ = (expr);                                                \
        if (gpuErr_ != cudaSuccess) {                                                      \
            std::fprintf(stderr, "[gpu] %s failed: %s\n", #expr, cudaGetErrorString(gpuErr_)); \
            std::printf("LABEL REFUTED\n");                                                \
            std::exit(0);                                                                  \
        }                                                                                  \
    } while (0)

namespace eng {

struct Light {
    float pos[3];
    float radius;
    float color[3];
    float intensity;
};

struct LevelDesc {
    const char* name;
    uint32_t lightCount;
    float baseIntensity;
};

constexpr uint32_t kMaxLights = 256;
constexpr uint32_t kTiles = 64;

__global__ void ShadeTiles(const Light* lights, float* tiles) {
    float sum = 0.0f;
    for (uint32_t i = 0; i < kMaxLights; ++i) sum += lights[i].intensity;
    tiles[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Scene side view of all dynamic lights of the current level.
class LightTable {
public:
    void Init() {
        m_lights.resize(kMaxLights);
        GPU_VERIFY(cudaMalloc(&m_device, kMaxLights * sizeof(Light)));
    }

    void Shutdown() { GPU_VERIFY(cudaFree(m_device)); }

    void LoadLevel(const LevelDesc& level) {
        std::vector<Light> table(kMaxLights);
        for (uint32_t i = 0; i < level.lightCount; ++i) {
            table[i].radius = 4.0f;
            table[i].intensity = level.baseIntensity;
        }
        m_lights.swap(table); // HAZARD dangling #1
    }

    void Upload(cudaStream_t stream) const {
        GPU_VERIFY(cudaMemcpyAsync(m_device, m_lights.data(), kMaxLights * sizeof(Light), cudaMemcpyHostToDevice, stream)); // HAZARD dangling #1
    }

    const Light* Device() const { return m_device; }

private:
    std::vector<Light> m_lights;
    Light* m_device = nullptr;
};

class FrameGraph {
public:
    void Init(LightTable* lights) {
        m_lights = lights;
        GPU_VERIFY(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking));
        GPU_VERIFY(cudaMalloc(&m_tiles, kTiles * sizeof(float)));
    }

    void Shutdown() {
        if (m_exec) GPU_VERIFY(cudaGraphExecDestroy(m_exec));
        GPU_VERIFY(cudaFree(m_tiles));
        GPU_VERIFY(cudaStreamDestroy(m_stream));
    }

    float RenderFrame() {
        if (!m_exec) Compile();
        GPU_VERIFY(cudaGraphLaunch(m_exec, m_stream));
        float tile = 0.0f;
        GPU_VERIFY(cudaMemcpyAsync(&tile, m_tiles, sizeof(float), cudaMemcpyDeviceToHost, m_stream));
        GPU_VERIFY(cudaStreamSynchronize(m_stream));
        return tile;
    }

private:
    void Compile() {
        cudaGraph_t graph = nullptr;
        GPU_VERIFY(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal));
        RecordLighting();
        GPU_VERIFY(cudaStreamEndCapture(m_stream, &graph));
        GPU_VERIFY(cudaGraphInstantiate(&m_exec, graph, 0));
        GPU_VERIFY(cudaGraphDestroy(graph));
    }

    void RecordLighting() {
        m_lights->Upload(m_stream);
        ShadeTiles<<<kTiles / 32, 32, 0, m_stream>>>(m_lights->Device(), m_tiles);
        GPU_VERIFY(cudaGetLastError());
    }

    LightTable* m_lights = nullptr;
    cudaStream_t m_stream = nullptr;
    cudaGraphExec_t m_exec = nullptr;
    float* m_tiles = nullptr;
};

}  // namespace eng

int main() {
    const eng::LevelDesc levels[] = {
        {"harbor", 100, 1.0f}, {"catacombs", 64, 3.0f}, {"citadel", 200, 0.5f}};

    eng::LightTable lights;
    lights.Init();
    eng::FrameGraph frame;
    frame.Init(&lights);

    bool good = true;
    for (const eng::LevelDesc& level : levels) {
        lights.LoadLevel(level);
        for (int f = 0; f < 2; ++f) {
            const float got = frame.RenderFrame();
            const float want = level.lightCount * level.baseIntensity;
            std::printf("%s: %.2f (expected %.2f)\n", level.name, got, want);
            good = good && std::fabs(got - want) < 1e-3f;
        }
    }
    frame.Shutdown();
    lights.Shutdown();
    std::printf(good ? "LABEL UNOBSERVED\n" : "LABEL CONFIRMED\n");
    return 0;
}
