// Terrain update: graphics queue plus an async compute queue, recorded once per level load.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#define RETURN_IF_FAILED(call)                          \
    do {                                                \
        const cudaError_t status_ = (call);             \
        if (status_ != cudaSuccess) return status_;     \
    } while (0)

constexpr int kTexels = 512;
constexpr int kGroup = 128;

__global__ void ErodeCS(float* height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    height[i] = 0.5f * height[i] + 1.0f;
}
__global__ void SlopeCS(const float* height, float* slope)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    slope[i] = height[min(i + 1, kTexels - 1)] - height[i];
}
__global__ void VegetationCS(const float* height, float* mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    mask[i] = height[i] > 2.5f ? 1.0f : 0.0f;
}
__global__ void CompositeCS(const float* slope, const float* mask, float* albedo)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    albedo[i] = slope[i] + 10.0f * mask[i];
}
__global__ void CoverageCS(const float* mask, float* coverage)
{
    float sum = 0.0f;
    for (int i = 0; i < kTexels; ++i) sum += mask[i];
    *coverage = sum / kTexels;
}

class Fence {
public:
    cudaError_t Init() { return cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming); }
    void Release()
    {
        if (m_event) cudaEventDestroy(m_event);
        m_event = nullptr;
    }
    cudaEvent_t Native() const { return m_event; }

private:
    cudaEvent_t m_event = nullptr;
};

class IQueue {
public:
    virtual ~IQueue() = default;
    virtual cudaError_t Init() = 0;
    virtual cudaError_t Signal(const Fence& fence) = 0;
    virtual cudaError_t Wait(const Fence& fence) = 0;
    virtual cudaStream_t Native() const = 0;
};

class CudaQueue final : public IQueue {
public:
    ~CudaQueue() override
    {
        if (m_stream) cudaStreamDestroy(m_stream);
    }
    cudaError_t Init() override { return cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking); }
    cudaError_t Signal(const Fence& fence) override { return cudaEventRecord(fence.Native(), m_stream); }
    cudaError_t Wait(const Fence& fence) override { return cudaStreamWaitEvent(m_stream, fence.Native(), 0); }
    cudaStream_t Native() const override { return m_stream; }

private:
    cudaStream_t m_stream = nullptr;
};

struct TerrainBuffers {
    float* height = nullptr;
    float* slope = nullptr;
    float* mask = nullptr;
    float* albedo = nullptr;
    float* coverage = nullptr;
};

class IRenderJob {
public:
    virtual ~IRenderJob() = default;
    virtual cudaError_t Record(const TerrainBuffers& b, IQueue& queue) const = 0;
};

class VegetationJob final : public IRenderJob {
    cudaError_t Record(const TerrainBuffers& b, IQueue& queue) const override
    {
        VegetationCS<<<kTexels / kGroup, kGroup, 0, queue.Native()>>>(b.height, b.mask);
        return cudaGetLastError();
    }
};

class CoverageTelemetryJob final : public IRenderJob {
    cudaError_t Record(const TerrainBuffers& b, IQueue& queue) const override
    {
        CoverageCS<<<1, 1, 0, queue.Native()>>>(b.mask, b.coverage); // HAZARD dependency #1
        return cudaGetLastError();
    }
};

class TerrainRenderer {
public:
    cudaError_t Init(const std::vector<float>& heights)
    {
        m_graphics = std::make_unique<CudaQueue>();
        m_async = std::make_unique<CudaQueue>();
        m_asyncJobs.push_back(std::make_unique<VegetationJob>());
        m_telemetryJobs.push_back(std::make_unique<CoverageTelemetryJob>());
        RETURN_IF_FAILED(m_graphics->Init());
        RETURN_IF_FAILED(m_async->Init());
        RETURN_IF_FAILED(m_fork.Init());
        RETURN_IF_FAILED(m_join.Init());
        for (float** p : {&m_buffers.height, &m_buffers.slope, &m_buffers.mask, &m_buffers.albedo, &m_buffers.coverage})
            RETURN_IF_FAILED(cudaMalloc(p, kTexels * sizeof(float)));
        RETURN_IF_FAILED(cudaMemcpyAsync(m_buffers.height, heights.data(), kTexels * sizeof(float),
                                         cudaMemcpyHostToDevice, m_graphics->Native()));
        return cudaStreamSynchronize(m_graphics->Native());
    }

    cudaError_t Build()
    {
        RETURN_IF_FAILED(cudaStreamBeginCapture(m_graphics->Native(), cudaStreamCaptureModeThreadLocal));
        const cudaError_t recorded = RecordPasses();
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(m_graphics->Native(), &graph); // HAZARD dependency #1
        RETURN_IF_FAILED(ended);
        const cudaError_t built = recorded == cudaSuccess ? cudaGraphInstantiate(&m_frame, graph, 0) : recorded;
        RETURN_IF_FAILED(cudaGraphDestroy(graph));
        return built;
    }

    cudaError_t RenderFrame() { return cudaGraphLaunch(m_frame, m_graphics->Native()); }

    cudaError_t Read(std::vector<float>& albedo, float& coverage)
    {
        albedo.resize(kTexels);
        RETURN_IF_FAILED(cudaMemcpyAsync(albedo.data(), m_buffers.albedo, kTexels * sizeof(float), cudaMemcpyDeviceToHost, m_graphics->Native()));
        RETURN_IF_FAILED(cudaMemcpyAsync(&coverage, m_buffers.coverage, sizeof(float), cudaMemcpyDeviceToHost, m_graphics->Native()));
        return cudaStreamSynchronize(m_graphics->Native());
    }

    void Shutdown()
    {
        if (m_frame) cudaGraphExecDestroy(m_frame);
        for (float* p : {m_buffers.height, m_buffers.slope, m_buffers.mask, m_buffers.albedo, m_buffers.coverage}) cudaFree(p);
        m_fork.Release();
        m_join.Release();
    }

private:
    cudaError_t RecordPasses()
    {
        const cudaStream_t gfx = m_graphics->Native();
        ErodeCS<<<kTexels / kGroup, kGroup, 0, gfx>>>(m_buffers.height);
        RETURN_IF_FAILED(cudaGetLastError());

        RETURN_IF_FAILED(m_graphics->Signal(m_fork));
        RETURN_IF_FAILED(m_async->Wait(m_fork));
        for (const auto& job : m_asyncJobs) RETURN_IF_FAILED(job->Record(m_buffers, *m_async));

        SlopeCS<<<kTexels / kGroup, kGroup, 0, gfx>>>(m_buffers.height, m_buffers.slope);
        RETURN_IF_FAILED(cudaGetLastError());

        RETURN_IF_FAILED(m_async->Signal(m_join));
        RETURN_IF_FAILED(m_graphics->Wait(m_join));
        CompositeCS<<<kTexels / kGroup, kGroup, 0, gfx>>>(m_buffers.slope, m_buffers.mask, m_buffers.albedo);
        RETURN_IF_FAILED(cudaGetLastError());

        for (const auto& job : m_telemetryJobs) RETURN_IF_FAILED(job->Record(m_buffers, *m_async)); // HAZARD dependency #1
        return cudaSuccess;
    }

    std::unique_ptr<IQueue> m_graphics, m_async;
    std::vector<std::unique_ptr<IRenderJob>> m_asyncJobs, m_telemetryJobs;
    Fence m_fork, m_join;
    TerrainBuffers m_buffers;
    cudaGraphExec_t m_frame = nullptr;
};

int main()
{
    std::vector<float> h(kTexels);
    for (int i = 0; i < kTexels; ++i) h[i] = static_cast<float>(i % 16);
    TerrainRenderer terrain;
    if (terrain.Init(h) != cudaSuccess) {
        std::puts("LABEL REFUTED");
        return 0;
    }
    const cudaError_t built = terrain.Build();
    std::printf("build: %s\n", cudaGetErrorName(built));
    const bool confirmed = built == cudaErrorStreamCaptureUnjoined;
    terrain.Shutdown();
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
