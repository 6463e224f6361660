#include <cuda_runtime.h>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define GFX_VERIFY(x)                                                                         \
    do {                                                                                      \
        cudaError_t gfxErr_ = (x);                                                            \
        if (gfxErr_ != cudaSuccess) {                                                         \
            fprintf(stderr, "GFX_VERIFY failed: %s -> %s\n", #x, cudaGetErrorName(gfxErr_));  \
            puts("LABEL REFUTED");                                                            \
            exit(0);                                                                          \
        }                                                                                     \
    } while (0)

typedef uint32_t u32;

struct Particle {
    float pos[2];
    float vel[2];
    float age;
};

static const u32 kParticleCount = 8192;

__global__ void FillU32(u32* dst, u32 value, u32 count) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) dst[i] = value;
}

__global__ void IntegrateParticles(Particle* p, float dt) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kParticleCount) return;
    p[i].vel[1] -= 9.81f * dt;
    p[i].pos[0] += p[i].vel[0] * dt;
    p[i].pos[1] += p[i].vel[1] * dt;
    p[i].age += dt;
}

__global__ void CountAlive(const Particle* p, float maxAge, u32* alive) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kParticleCount && p[i].age < maxAge) atomicAdd(alive, 1u);
}

class GpuDevice {
public:
    template <typename T>
    T* Alloc(u32 count) {
        T* p = nullptr;
        GFX_VERIFY(cudaMalloc(&p, count * sizeof(T)));
        return p;
    }
    void Free(void* p) { GFX_VERIFY(cudaFree(p)); }
    void Fill(u32* dst, u32 value, u32 count, cudaStream_t stream = nullptr) {
        FillU32<<<(count + 127) / 128, 128, 0, stream>>>(dst, value, count);
        GFX_VERIFY(cudaGetLastError());
    }
};

class FrameRecorder {
public:
    enum class State { Empty, Recording, Ready };

    explicit FrameRecorder(cudaStream_t queue) : m_Queue(queue) {}
    ~FrameRecorder() { if (m_Exec) GFX_VERIFY(cudaGraphExecDestroy(m_Exec)); }

    void Open() {
        assert(m_State == State::Empty);
        GFX_VERIFY(cudaStreamBeginCapture(m_Queue, cudaStreamCaptureModeRelaxed));
        m_State = State::Recording;
    }
    void Close() {
        assert(m_State == State::Recording);
        cudaGraph_t graph = nullptr;
        GFX_VERIFY(cudaStreamEndCapture(m_Queue, &graph));
        GFX_VERIFY(cudaGraphInstantiate(&m_Exec, graph, 0));
        GFX_VERIFY(cudaGraphDestroy(graph));
        m_State = State::Ready;
    }
    void Kick() {
        assert(m_State == State::Ready);
        GFX_VERIFY(cudaGraphLaunch(m_Exec, m_Queue));
    }
    bool NeedsRecording() const { return m_State == State::Empty; }
    cudaStream_t Queue() const { return m_Queue; }

private:
    cudaStream_t m_Queue;
    cudaGraphExec_t m_Exec = nullptr;
    State m_State = State::Empty;
};

class ParticleSystem {
public:
    explicit ParticleSystem(GpuDevice& device) : m_Device(device) {
        m_Particles = m_Device.Alloc<Particle>(kParticleCount);
        m_AliveCount = m_Device.Alloc<u32>(1);
        m_Device.Fill(reinterpret_cast<u32*>(m_Particles), 0, kParticleCount * sizeof(Particle) / sizeof(u32));
        m_Device.Fill(m_AliveCount, 0, 1);
        GFX_VERIFY(cudaDeviceSynchronize());
    }
    ~ParticleSystem() {
        m_Device.Free(m_Particles);
        m_Device.Free(m_AliveCount);
    }

    void RecordSimulation(FrameRecorder& rec) {
        const u32 groups = (kParticleCount + 255) / 256;
        m_Device.Fill(m_AliveCount, 0, 1, rec.Queue());
        IntegrateParticles<<<groups, 256, 0, rec.Queue()>>>(m_Particles, kFixedDt);
        GFX_VERIFY(cudaGetLastError());
        CountAlive<<<groups, 256, 0, rec.Queue()>>>(m_Particles, kMaxAge, m_AliveCount);
        GFX_VERIFY(cudaGetLastError());
    }

    u32 FetchAlive(cudaStream_t queue) {
        u32 alive = 0;
        GFX_VERIFY(cudaMemcpyAsync(&alive, m_AliveCount, sizeof(alive), cudaMemcpyDeviceToHost, queue));
        GFX_VERIFY(cudaStreamSynchronize(queue));
        return alive;
    }

private:
    static constexpr float kFixedDt = 1.0f / 60.0f;
    static constexpr float kMaxAge = 5.0f;
    GpuDevice& m_Device;
    Particle* m_Particles = nullptr;
    u32* m_AliveCount = nullptr;
};

class World {
public:
    World() : m_Queue(MakeQueue()), m_Particles(m_Device), m_Recorder(m_Queue) {}
    ~World() { GFX_VERIFY(cudaStreamSynchronize(m_Queue)); }

    u32 Tick() {
        if (m_Recorder.NeedsRecording()) {
            m_Recorder.Open();
            m_Particles.RecordSimulation(m_Recorder);
            m_Recorder.Close();
        }
        m_Recorder.Kick();
        return m_Particles.FetchAlive(m_Queue);
    }

private:
    static cudaStream_t MakeQueue() {
        cudaStream_t q;
        GFX_VERIFY(cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking));
        return q;
    }
    GpuDevice m_Device;
    cudaStream_t m_Queue;
    ParticleSystem m_Particles;
    FrameRecorder m_Recorder;
};

int main() {
    World world;
    bool steady = true;
    for (int frame = 0; frame < 5; ++frame) {
        u32 alive = world.Tick();
        printf("frame %d alive %u\n", frame, alive);
        if (alive != kParticleCount) steady = false;
    }
    puts(steady ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
