// Crowd animation: entities are spawned at runtime, poses are advanced by one recorded frame graph.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void FatalGpu(cudaError_t err, const char* expr, int line)
{
    std::fprintf(stderr, "fatal: %s: %s (line %d)\n", expr, cudaGetErrorString(err), line);
    std::exit(1);
}
#define GPU(expr)                                                  \
    do {                                                           \
        if (cudaError_t err__ = (expr)) FatalGpu(err__, #expr, __LINE__); \
    } while (false)

constexpr uint32_t kMaxEntities = 2048;
constexpr uint32_t kGroupSize = 64;
constexpr uint32_t kFramesInFlight = 2;

constexpr uint32_t GroupCount(uint32_t items) { return (items + kGroupSize - 1) / kGroupSize; }

struct FrameHeader {
    uint32_t liveEntities;
    float deltaSeconds;
};

__global__ void AdvancePoses(const FrameHeader* header, float* phase)
{
    const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < header->liveEntities) phase[id] += header->deltaSeconds;
}

__global__ void SkinEntities(const FrameHeader* header, const float* phase, float* palette)
{
    const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < header->liveEntities) palette[id] = 2.0f * phase[id];
}

class EntityWorld {
public:
    static EntityWorld& Instance()
    {
        static EntityWorld world;
        return world;
    }
    void Spawn(uint32_t n)
    {
        for (uint32_t i = 0; i < n && m_entities.size() < kMaxEntities; ++i)
            m_entities.push_back(static_cast<uint32_t>(m_entities.size()));
    }
    uint32_t LiveCount() const { return static_cast<uint32_t>(m_entities.size()); }

private:
    std::vector<uint32_t> m_entities;
};

class FrameRecorder {
public:
    explicit FrameRecorder(cudaStream_t stream) : m_stream(stream) {}
    bool IsSealed() const { return m_exec != nullptr; }
    void Open() { GPU(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal)); }
    void Seal()
    {
        cudaGraph_t graph = nullptr;
        GPU(cudaStreamEndCapture(m_stream, &graph));
        GPU(cudaGraphInstantiate(&m_exec, graph, 0));
        GPU(cudaGraphDestroy(graph));
    }
    void Replay() { GPU(cudaGraphLaunch(m_exec, m_stream)); }
    void Release()
    {
        if (m_exec) GPU(cudaGraphExecDestroy(m_exec));
        m_exec = nullptr;
    }

private:
    cudaStream_t m_stream;
    cudaGraphExec_t m_exec = nullptr;
};

class AnimationSystem {
public:
    void Startup()
    {
        GPU(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking));
        GPU(cudaMalloc(&m_header, sizeof(FrameHeader)));
        GPU(cudaMalloc(&m_phase, kMaxEntities * sizeof(float)));
        GPU(cudaMalloc(&m_palette, kMaxEntities * sizeof(float)));
        GPU(cudaMemsetAsync(m_phase, 0, kMaxEntities * sizeof(float), m_stream));
        GPU(cudaMemsetAsync(m_palette, 0, kMaxEntities * sizeof(float), m_stream));
        for (uint32_t i = 0; i < kFramesInFlight; ++i) {
            GPU(cudaMallocHost(&m_upload[i], sizeof(FrameHeader)));
            GPU(cudaEventCreateWithFlags(&m_uploaded[i], cudaEventDisableTiming));
        }
        m_recorder = new FrameRecorder(m_stream);
    }

    void Update(float deltaSeconds)
    {
        const uint32_t slot = m_frame++ % kFramesInFlight;
        GPU(cudaEventSynchronize(m_uploaded[slot]));
        *m_upload[slot] = FrameHeader{EntityWorld::Instance().LiveCount(), deltaSeconds};
        GPU(cudaMemcpyAsync(m_header, m_upload[slot], sizeof(FrameHeader), cudaMemcpyHostToDevice, m_stream));
        GPU(cudaEventRecord(m_uploaded[slot], m_stream));

        if (!m_recorder->IsSealed()) {
            m_recorder->Open();
            RecordPasses();
            m_recorder->Seal();
        }
        m_recorder->Replay();
    }

    float PaletteEntry(uint32_t id)
    {
        float value = -1.0f;
        GPU(cudaMemcpyAsync(&value, m_palette + id, sizeof(value), cudaMemcpyDeviceToHost, m_stream));
        GPU(cudaStreamSynchronize(m_stream));
        return value;
    }

    void Shutdown()
    {
        GPU(cudaStreamSynchronize(m_stream));
        m_recorder->Release();
        delete m_recorder;
        for (uint32_t i = 0; i < kFramesInFlight; ++i) {
            GPU(cudaFreeHost(m_upload[i]));
            GPU(cudaEventDestroy(m_uploaded[i]));
        }
        GPU(cudaFree(m_header));
        GPU(cudaFree(m_phase));
        GPU(cudaFree(m_palette));
        GPU(cudaStreamDestroy(m_stream));
    }

private:
    void RecordPasses()
    {
        const uint32_t groups = GroupCount(kMaxEntities);
        AdvancePoses<<<groups, kGroupSize, 0, m_stream>>>(m_header, m_phase);
        GPU(cudaGetLastError());
        SkinEntities<<<groups, kGroupSize, 0, m_stream>>>(m_header, m_phase, m_palette);
        GPU(cudaGetLastError());
    }

    cudaStream_t m_stream = nullptr;
    FrameRecorder* m_recorder = nullptr;
    FrameHeader* m_header = nullptr;
    float* m_phase = nullptr;
    float* m_palette = nullptr;
    FrameHeader* m_upload[kFramesInFlight] = {};
    cudaEvent_t m_uploaded[kFramesInFlight] = {};
    uint32_t m_frame = 0;
};

int main()
{
    AnimationSystem animation;
    animation.Startup();
    EntityWorld::Instance().Spawn(100);
    animation.Update(0.5f);
    const bool first = animation.PaletteEntry(99) == 1.0f;

    EntityWorld::Instance().Spawn(900);
    animation.Update(0.5f);
    animation.Update(0.25f);
    const bool old = animation.PaletteEntry(99) == 2.5f;
    const bool spawned = animation.PaletteEntry(999) == 1.5f;
    animation.Shutdown();
    std::puts(first && old && spawned ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
