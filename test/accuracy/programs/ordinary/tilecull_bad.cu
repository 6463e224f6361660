#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#define EMBER_GPU(expr)                                                                  \
    do {                                                                                 \
        const cudaError_t emberErr = (expr);                                             \
        if (emberErr != cudaSuccess) {                                                   \
            std::printf("[gpu] %s: %s\n", #expr, cudaGetErrorString(emberErr));          \
            std::printf("LABEL REFUTED\n");                                              \
            std::exit(0);                                                                \
        }                                                                                \
    } while (0)

namespace ember {

constexpr uint32_t kTilesX = 16;
constexpr uint32_t kTilesY = 9;
constexpr uint32_t kMaxLights = 1024;
constexpr uint32_t kGroupSize = 64;

struct PointLight {
    float x, y;
    float radius;
    uint32_t flags;
};

inline uint32_t DivUp(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

__global__ void BinLightsKernel(const PointLight* lights, uint32_t numLights, uint32_t* tileCounts) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= numLights) return;
    const uint32_t tx = min(static_cast<uint32_t>(lights[i].x * kTilesX), kTilesX - 1);
    const uint32_t ty = min(static_cast<uint32_t>(lights[i].y * kTilesY), kTilesY - 1);
    atomicAdd(&tileCounts[ty * kTilesX + tx], 1u);
}

__global__ void SumTilesKernel(const uint32_t* tileCounts, uint32_t* total) {
    __shared__ uint32_t acc;
    if (threadIdx.x == 0) acc = 0;
    __syncthreads();
    if (threadIdx.x < kTilesX * kTilesY) atomicAdd(&acc, tileCounts[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *total = acc;
}

class RenderPass {
public:
    virtual ~RenderPass() = default;
    virtual void Record(cudaStream_t stream) = 0;
};

class LightBinningPass final : public RenderPass {
public:
    LightBinningPass() {
        m_visible.reserve(kMaxLights);
        EMBER_GPU(cudaMalloc(&m_gpuLights, kMaxLights * sizeof(PointLight)));
        EMBER_GPU(cudaMalloc(&m_gpuTiles, kTilesX * kTilesY * sizeof(uint32_t)));
        EMBER_GPU(cudaMalloc(&m_gpuTotal, sizeof(uint32_t)));
    }
    ~LightBinningPass() override {
        cudaFree(m_gpuLights);
        cudaFree(m_gpuTiles);
        cudaFree(m_gpuTotal);
    }

    // Frustum test on the CPU, then push the survivors to the GPU.
    void Prepare(const std::vector<PointLight>& scene, float cameraX, cudaStream_t stream) {
        m_visible.clear();
        for (const PointLight& l : scene) {
            if (l.x + l.radius >= cameraX && m_visible.size() < kMaxLights) m_visible.push_back(l);
        }
        EMBER_GPU(cudaMemcpyAsync(m_gpuLights, m_visible.data(), m_visible.size() * sizeof(PointLight),
                                  cudaMemcpyHostToDevice, stream));
    }

    void Record(cudaStream_t stream) override {
        EMBER_GPU(cudaMemsetAsync(m_gpuTiles, 0, kTilesX * kTilesY * sizeof(uint32_t), stream));
        const uint32_t numLights = static_cast<uint32_t>(m_visible.size());
        const uint32_t groups = DivUp(numLights, kGroupSize);
        BinLightsKernel<<<groups, kGroupSize, 0, stream>>>(m_gpuLights, numLights, m_gpuTiles); // HAZARD dynamic_shape
        EMBER_GPU(cudaGetLastError());
        SumTilesKernel<<<1, 256, 0, stream>>>(m_gpuTiles, m_gpuTotal);
        EMBER_GPU(cudaGetLastError());
    }

    uint32_t ReadBackTotal(cudaStream_t stream) const {
        uint32_t total = 0;
        EMBER_GPU(cudaMemcpyAsync(&total, m_gpuTotal, sizeof(total), cudaMemcpyDeviceToHost, stream));
        EMBER_GPU(cudaStreamSynchronize(stream));
        return total;
    }
    uint32_t NumVisible() const { return static_cast<uint32_t>(m_visible.size()); }

private:
    std::vector<PointLight> m_visible;
    PointLight* m_gpuLights = nullptr;
    uint32_t* m_gpuTiles = nullptr;
    uint32_t* m_gpuTotal = nullptr;
};

class FrameGraph {
public:
    explicit FrameGraph(cudaStream_t stream) : m_stream(stream) {}
    ~FrameGraph() {
        if (m_exec) cudaGraphExecDestroy(m_exec);
    }
    template <typename PassT, typename... Args>
    PassT& AddPass(Args&&... args) {
        m_passes.push_back(std::make_unique<PassT>(std::forward<Args>(args)...));
        return static_cast<PassT&>(*m_passes.back());
    }
    void Execute() {
        if (!m_exec) Compile();
        EMBER_GPU(cudaGraphLaunch(m_exec, m_stream));
    }

private:
    void Compile() {
        cudaGraph_t graph = nullptr;
        EMBER_GPU(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal));
        for (auto& pass : m_passes) pass->Record(m_stream);
        EMBER_GPU(cudaStreamEndCapture(m_stream, &graph));
        EMBER_GPU(cudaGraphInstantiate(&m_exec, graph, 0));
        EMBER_GPU(cudaGraphDestroy(graph));
    }
    std::vector<std::unique_ptr<RenderPass>> m_passes;
    cudaStream_t m_stream;
    cudaGraphExec_t m_exec = nullptr;
};

} // namespace ember

int main() {
    using namespace ember;
    cudaStream_t stream;
    EMBER_GPU(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    std::vector<PointLight> scene;
    for (uint32_t i = 0; i < 600; ++i) scene.push_back({i / 600.0f, (i % 37) / 37.0f, 0.01f, 0});

    bool allRight = true;
    {
        FrameGraph frameGraph(stream);
        auto& binning = frameGraph.AddPass<LightBinningPass>();
        const float camera[] = {0.9f, 0.5f, 0.0f, 0.7f};
        for (float cam : camera) {
            binning.Prepare(scene, cam, stream);
            frameGraph.Execute();
            const uint32_t binned = binning.ReadBackTotal(stream);
            std::printf("camera %.1f: visible %u binned %u\n", cam, binning.NumVisible(), binned);
            allRight = allRight && binned == binning.NumVisible();
        }
    }
    EMBER_GPU(cudaStreamDestroy(stream));
    std::printf(allRight ? "LABEL REFUTED\n" : "LABEL CONFIRMED\n");
    return 0;
}
