// Particle simulation on top of the relocatable GPU heap.
// Buffers are referenced by handle; memory moves when a level section is streamed out.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GPU_CHECK(expr)                                                                   \
    do                                                                                    \
    {                                                                                     \
        cudaError_t err_ = (expr);                                                        \
        if (err_ != cudaSuccess)                                                          \
        {                                                                                 \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            std::puts("LABEL WRONG");                                                     \
            std::exit(1);                                                                 \
        }                                                                                 \
    } while (0)

namespace Engine
{
struct BufferHandle
{
    uint16_t Index = 0xffff;
    uint16_t Generation = 0;
};

struct FrameConstants
{
    float DeltaTime;
    float Gravity;
    uint32_t FrameIndex;
};

class RelocatableHeap
{
public:
    explicit RelocatableHeap(size_t bytes) : m_Size(bytes)
    {
        GPU_CHECK(cudaMalloc(&m_Base, bytes));
        GPU_CHECK(cudaMalloc(&m_Bounce, bytes));
        GPU_CHECK(cudaMemset(m_Base, 0, bytes));
        GPU_CHECK(cudaDeviceSynchronize());
    }
    ~RelocatableHeap()
    {
        cudaFree(m_Base);
        cudaFree(m_Bounce);
    }

    BufferHandle Allocate(size_t bytes, const char* tag)
    {
        bytes = (bytes + 255) & ~size_t(255);
        BufferHandle handle;
        handle.Index = static_cast<uint16_t>(m_Blocks.size());
        handle.Generation = 1;
        if (m_Top + bytes > m_Size)
        {
            std::fprintf(stderr, "heap exhausted by %s\n", tag);
            std::exit(1);
        }
        m_Blocks.push_back({m_Top, bytes, handle.Generation, true, tag});
        m_Top += bytes;
        return handle;
    }

    void Free(BufferHandle handle)
    {
        Block& block = m_Blocks[handle.Index];
        block.Live = false;
        ++block.Generation;
    }

    template <typename T>
    T* Resolve(BufferHandle handle) const
    {
        const Block& block = m_Blocks[handle.Index];
        if (!block.Live || block.Generation != handle.Generation)
            return nullptr;
        return reinterpret_cast<T*>(m_Base + block.Offset);
    }

    // Closes the holes that Free() left. Handles stay valid.
    void Compact(cudaStream_t stream)
    {
        std::vector<Block*> live;
        for (Block& block : m_Blocks)
            if (block.Live)
                live.push_back(&block);
        std::sort(live.begin(), live.end(), [](const Block* a, const Block* b) { return a->Offset < b->Offset; });

        size_t cursor = 0;
        for (Block* block : live)
        {
            if (block->Offset != cursor)
            {
                GPU_CHECK(cudaMemcpyAsync(m_Bounce, m_Base + block->Offset, block->Bytes,
                                          cudaMemcpyDeviceToDevice, stream));
                GPU_CHECK(cudaMemcpyAsync(m_Base + cursor, m_Bounce, block->Bytes,
                                          cudaMemcpyDeviceToDevice, stream));
                block->Offset = cursor; // HAZARD dangling #move
            }
            cursor += block->Bytes;
        }
        m_Top = cursor;
    }

private:
    struct Block
    {
        size_t Offset;
        size_t Bytes;
        uint16_t Generation;
        bool Live;
        const char* Tag;
    };
    std::vector<Block> m_Blocks;
    char* m_Base = nullptr;
    char* m_Bounce = nullptr;
    size_t m_Size = 0;
    size_t m_Top = 0;
};

__global__ void IntegrateParticles(float* position, float* velocity, const FrameConstants* constants, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    position[i] += velocity[i] * constants->DeltaTime;
    velocity[i] += constants->Gravity;
}

__global__ void FillBuffer(float* data, float base, float step, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] = base + step * float(i % 16);
}

struct FrameEncoder
{
    cudaStream_t Stream;
    RelocatableHeap& Heap;
    const FrameConstants* Constants;
};

class ParticleSystem
{
public:
    ParticleSystem(RelocatableHeap& heap, int count) : m_Count(count)
    {
        m_Position = heap.Allocate(sizeof(float) * count, "particles.position");
        m_Velocity = heap.Allocate(sizeof(float) * count, "particles.velocity");
    }
    void Spawn(const FrameEncoder& enc) const
    {
        FillBuffer<<<Blocks(), 128, 0, enc.Stream>>>(enc.Heap.Resolve<float>(m_Position), 0.0f, 1.0f, m_Count);
        FillBuffer<<<Blocks(), 128, 0, enc.Stream>>>(enc.Heap.Resolve<float>(m_Velocity), 8.0f, 0.5f, m_Count);
    }
    void Simulate(const FrameEncoder& enc) const
    {
        float* position = enc.Heap.Resolve<float>(m_Position);
        float* velocity = enc.Heap.Resolve<float>(m_Velocity);
        IntegrateParticles<<<Blocks(), 128, 0, enc.Stream>>>(position, velocity, enc.Constants, m_Count); // HAZARD dangling #move
    }
    BufferHandle PositionBuffer() const { return m_Position; }
    int Count() const { return m_Count; }

private:
    int Blocks() const { return (m_Count + 127) / 128; }
    BufferHandle m_Position;
    BufferHandle m_Velocity;
    int m_Count;
};

class Renderer
{
public:
    explicit Renderer(RelocatableHeap& heap) : m_Heap(heap)
    {
        GPU_CHECK(cudaStreamCreateWithFlags(&m_Stream, cudaStreamNonBlocking));
        GPU_CHECK(cudaMalloc(&m_DeviceConstants, sizeof(FrameConstants)));
        GPU_CHECK(cudaMallocHost(&m_HostConstants, sizeof(FrameConstants)));
    }
    ~Renderer()
    {
        if (m_Exec)
            cudaGraphExecDestroy(m_Exec);
        cudaFree(m_DeviceConstants);
        cudaFreeHost(m_HostConstants);
        cudaStreamDestroy(m_Stream);
    }
    FrameEncoder Encoder() { return {m_Stream, m_Heap, m_DeviceConstants}; }
    cudaStream_t Stream() const { return m_Stream; }

    void RenderFrame(const ParticleSystem& particles, const FrameConstants& constants)
    {
        *m_HostConstants = constants;
        GPU_CHECK(cudaMemcpyAsync(m_DeviceConstants, m_HostConstants, sizeof(FrameConstants),
                                  cudaMemcpyHostToDevice, m_Stream));
        if (!m_Exec)
            RecordFrame(particles);
        GPU_CHECK(cudaGraphLaunch(m_Exec, m_Stream));
        GPU_CHECK(cudaStreamSynchronize(m_Stream));
    }

private:
    void RecordFrame(const ParticleSystem& particles)
    {
        cudaGraph_t graph = nullptr;
        GPU_CHECK(cudaStreamBeginCapture(m_Stream, cudaStreamCaptureModeThreadLocal));
        particles.Simulate(Encoder());
        GPU_CHECK(cudaStreamEndCapture(m_Stream, &graph));
        GPU_CHECK(cudaGraphInstantiate(&m_Exec, graph, 0));
        GPU_CHECK(cudaGraphDestroy(graph));
    }
    RelocatableHeap& m_Heap;
    cudaStream_t m_Stream = nullptr;
    cudaGraphExec_t m_Exec = nullptr;
    FrameConstants* m_DeviceConstants = nullptr;
    FrameConstants* m_HostConstants = nullptr;
};
} // namespace Engine

int main()
{
    using namespace Engine;
    constexpr int kCount = 4096;
    RelocatableHeap heap(kCount * sizeof(float) * 8);
    BufferHandle intro = heap.Allocate(kCount * sizeof(float), "cinematic.intro");
    ParticleSystem particles(heap, kCount);
    Renderer renderer(heap);
    particles.Spawn(renderer.Encoder());

    std::vector<float> refPos(kCount), refVel(kCount), got(kCount);
    for (int i = 0; i < kCount; ++i)
    {
        refPos[i] = float(i % 16);
        refVel[i] = 8.0f + 0.5f * float(i % 16);
    }

    int earlyErrors = 0, lateErrors = 0;
    for (uint32_t frame = 0; frame < 6; ++frame)
    {
        if (frame == 3)
        {
            heap.Free(intro);
            heap.Compact(renderer.Stream());
            BufferHandle decals = heap.Allocate(kCount * sizeof(float), "decals");
            FillBuffer<<<kCount / 128, 128, 0, renderer.Stream()>>>(heap.Resolve<float>(decals), 100.0f, 0.0f, kCount);
        }
        const FrameConstants constants{frame % 2 ? 0.25f : 0.5f, -0.5f, frame};
        renderer.RenderFrame(particles, constants);
        for (int i = 0; i < kCount; ++i)
        {
            refPos[i] += refVel[i] * constants.DeltaTime;
            refVel[i] += constants.Gravity;
        }
        GPU_CHECK(cudaMemcpy(got.data(), heap.Resolve<float>(particles.PositionBuffer()), kCount * sizeof(float),
                             cudaMemcpyDeviceToHost));
        int errors = 0;
        for (int i = 0; i < kCount; ++i)
            errors += got[i] != refPos[i];
        (frame < 3 ? earlyErrors : lateErrors) += errors;
        std::printf("frame %u: %d particles differ\n", frame, errors);
    }
    std::puts(earlyErrors == 0 && lateErrors > 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
