// Robot simulator: lidar returns against a set of obstacles that designers drop into the running scene.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace sim {

static cudaError_t g_firstError = cudaSuccess;

inline bool Ok(cudaError_t e)
{
    if (e == cudaSuccess) return true;
    if (g_firstError == cudaSuccess) g_firstError = e;
    return false;
}

class GpuContext {
public:
    GpuContext() { Ok(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking)); }
    ~GpuContext() { Ok(cudaStreamDestroy(m_stream)); }
    GpuContext(const GpuContext&) = delete;
    GpuContext& operator=(const GpuContext&) = delete;
    cudaStream_t Stream() const { return m_stream; }

private:
    cudaStream_t m_stream = nullptr;
};

template <typename T>
class GpuArray {
public:
    GpuArray(const GpuContext& ctx, uint32_t capacity) : m_ctx(ctx), m_capacity(capacity)
    {
        Ok(cudaMalloc(&m_data, capacity * sizeof(T)));
        Ok(cudaMalloc(&m_deviceCount, sizeof(uint32_t)));
        Ok(cudaMemsetAsync(m_deviceCount, 0, sizeof(uint32_t), ctx.Stream()));
    }
    ~GpuArray()
    {
        Ok(cudaFree(m_data));
        Ok(cudaFree(m_deviceCount));
    }
    GpuArray(const GpuArray&) = delete;
    GpuArray& operator=(const GpuArray&) = delete;

    void PushBack(const T& value)
    {
        if (m_count == m_capacity && !Reserve(m_capacity * 2)) return;
        Ok(cudaMemcpyAsync(m_data + m_count, &value, sizeof(T), cudaMemcpyHostToDevice, m_ctx.Stream()));
        ++m_count;
        Ok(cudaMemcpyAsync(m_deviceCount, &m_count, sizeof(m_count), cudaMemcpyHostToDevice, m_ctx.Stream()));
        Ok(cudaStreamSynchronize(m_ctx.Stream()));
    }
    const T* Data() const { return m_data; }
    const uint32_t* DeviceCount() const { return m_deviceCount; }
    uint32_t Revision() const { return m_revision; }

private:
    bool Reserve(uint32_t capacity)
    {
        T* grown = nullptr;
        if (!Ok(cudaMalloc(&grown, capacity * sizeof(T)))) return false;
        Ok(cudaMemcpyAsync(grown, m_data, m_count * sizeof(T), cudaMemcpyDeviceToDevice, m_ctx.Stream()));
        Ok(cudaStreamSynchronize(m_ctx.Stream()));
        Ok(cudaFree(m_data));
        m_data = grown;
        m_capacity = capacity;
        ++m_revision;
        return true;
    }

    const GpuContext& m_ctx;
    T* m_data = nullptr;
    uint32_t* m_deviceCount = nullptr;
    uint32_t m_count = 0;
    uint32_t m_capacity;
    uint32_t m_revision = 0;
};

struct Obstacle {
    float position;
    float radius;
};

__global__ void CastRays(const Obstacle* obstacles, const uint32_t* count, float* hits, int rays)
{
    const int ray = blockIdx.x * blockDim.x + threadIdx.x;
    if (ray >= rays) return;
    float nearest = 1000.0f;
    for (uint32_t i = 0; i < *count; ++i)
        nearest = fminf(nearest, fabsf(obstacles[i].position - ray) - obstacles[i].radius);
    hits[ray] = nearest;
}

class LidarSensor {
public:
    LidarSensor(const GpuContext& ctx, const GpuArray<Obstacle>& obstacles, int rays)
        : m_ctx(ctx), m_obstacles(obstacles), m_rays(rays)
    {
        Ok(cudaMalloc(&m_hits, rays * sizeof(float)));
    }
    ~LidarSensor()
    {
        Ok(cudaStreamSynchronize(m_ctx.Stream()));
        if (m_scan) Ok(cudaGraphExecDestroy(m_scan));
        Ok(cudaFree(m_hits));
    }
    LidarSensor(const LidarSensor&) = delete;
    LidarSensor& operator=(const LidarSensor&) = delete;

    bool Scan(std::vector<float>& out)
    {
        if ((!m_scan || m_builtFor != m_obstacles.Revision()) && !Rebuild()) return false;
        out.resize(m_rays);
        return Ok(cudaGraphLaunch(m_scan, m_ctx.Stream())) &&
               Ok(cudaMemcpyAsync(out.data(), m_hits, m_rays * sizeof(float), cudaMemcpyDeviceToHost, m_ctx.Stream())) &&
               Ok(cudaStreamSynchronize(m_ctx.Stream()));
    }

private:
    bool Rebuild()
    {
        if (m_scan && !Ok(cudaGraphExecDestroy(m_scan))) return false;
        m_scan = nullptr;
        m_builtFor = m_obstacles.Revision();

        const cudaStream_t stream = m_ctx.Stream();
        const Obstacle* data = m_obstacles.Data();
        if (!Ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))) return false;
        CastRays<<<(m_rays + 63) / 64, 64, 0, stream>>>(data, m_obstacles.DeviceCount(), m_hits, m_rays);
        const cudaError_t launched = cudaGetLastError();
        cudaGraph_t graph = nullptr;
        if (!Ok(cudaStreamEndCapture(stream, &graph))) return false;
        const bool built = Ok(launched) && Ok(cudaGraphInstantiate(&m_scan, graph, 0));
        return Ok(cudaGraphDestroy(graph)) && built;
    }

    const GpuContext& m_ctx;
    const GpuArray<Obstacle>& m_obstacles;
    const int m_rays;
    float* m_hits = nullptr;
    cudaGraphExec_t m_scan = nullptr;
    uint32_t m_builtFor = 0;
};

} // namespace sim

int main()
{
    bool before = false, after = false;
    {
        sim::GpuContext ctx;
        sim::GpuArray<sim::Obstacle> obstacles(ctx, 2);
        sim::LidarSensor lidar(ctx, obstacles, 128);
        std::vector<float> hits;
        obstacles.PushBack({10.0f, 1.0f});
        before = lidar.Scan(hits) && hits[100] == 89.0f;
        obstacles.PushBack({20.0f, 1.0f});
        before = before && lidar.Scan(hits) && hits[100] == 79.0f;
        obstacles.PushBack({100.0f, 2.0f});
        after = lidar.Scan(hits) && hits[100] == -2.0f && hits[10] == -1.0f;
    }
    std::puts(before && after && sim::g_firstError == cudaSuccess ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
