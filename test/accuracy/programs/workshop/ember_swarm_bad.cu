// Particle module of the Ember engine: one simulation step per rendered frame, double-buffered
// particle state, and a small ring of frame contexts so that the CPU can run ahead of the GPU.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace ember {

constexpr uint32_t kFramesInFlight = 2;
constexpr float kShutterScale = 0.5f;

static bool g_deviceHealthy = true;

static bool report(cudaError_t err, const char* what, int line) {
    if (err == cudaSuccess) return true;
    std::fprintf(stderr, "[ember] line %d: %s -> %s\n", line, what, cudaGetErrorString(err));
    g_deviceHealthy = false;
    return false;
}
#define GFX_TRY(expr) ::ember::report((expr), #expr, __LINE__)

struct BufferHandle {
    uint32_t index = UINT32_MAX;
    uint32_t generation = 0;
};

class BufferPool {
public:
    ~BufferPool() {
        for (Slot& s : slots_) GFX_TRY(cudaFree(s.ptr));
    }
    BufferHandle create(size_t bytes) {
        Slot s{nullptr, 1};
        if (!GFX_TRY(cudaMalloc(&s.ptr, bytes))) return {};
        slots_.push_back(s);
        return {static_cast<uint32_t>(slots_.size() - 1), s.generation};
    }
    template <class T>
    T* resolve(BufferHandle h) const {
        if (h.index >= slots_.size() || slots_[h.index].generation != h.generation) return nullptr;
        return static_cast<T*>(slots_[h.index].ptr);
    }

private:
    struct Slot {
        void* ptr;
        uint32_t generation;
    };
    std::vector<Slot> slots_;
};

struct Particle {
    float x, v, shutter;
};

struct FrameConstants {
    float dt;
    float wind;
};

struct FrameContext {
    uint64_t number = 0;
    float dt = 0.0f;
    float wind = 0.0f;
    FrameConstants* staging = nullptr;  // pinned, one per frame in flight
    cudaEvent_t fence = nullptr;
};

__global__ void integrate(Particle* dst, const Particle* src, const FrameConstants* fc, float dt, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Particle p = src[i];
    p.v += fc->wind * dt;
    p.x += p.v * dt;
    p.shutter = dt * kShutterScale;
    dst[i] = p;
}

class SwarmSystem {
public:
    SwarmSystem(BufferPool& pool, int count) : pool_(pool), count_(count) {
        GFX_TRY(cudaStreamCreateWithFlags(&queue_, cudaStreamNonBlocking));
        for (BufferHandle& h : state_) h = pool_.create(sizeof(Particle) * count_);
        constants_ = pool_.create(sizeof(FrameConstants));
        for (FrameContext& f : frames_) {
            GFX_TRY(cudaMallocHost(&f.staging, sizeof(FrameConstants)));
            GFX_TRY(cudaEventCreateWithFlags(&f.fence, cudaEventDisableTiming));
        }
    }
    ~SwarmSystem() {
        GFX_TRY(cudaStreamSynchronize(queue_));
        if (step_) GFX_TRY(cudaGraphExecDestroy(step_));
        for (FrameContext& f : frames_) {
            GFX_TRY(cudaEventDestroy(f.fence));
            GFX_TRY(cudaFreeHost(f.staging));
        }
        GFX_TRY(cudaStreamDestroy(queue_));
    }

    void spawn(const std::vector<Particle>& initial) {
        GFX_TRY(cudaMemcpyAsync(pool_.resolve<Particle>(state_[front_]), initial.data(),
                                sizeof(Particle) * count_, cudaMemcpyHostToDevice, queue_));
        GFX_TRY(cudaStreamSynchronize(queue_));
    }

    void simulate(float dt, float wind) {
        FrameContext& frame = frames_[frameNumber_ % kFramesInFlight];
        GFX_TRY(cudaEventSynchronize(frame.fence));  // staging of this slot is free again
        frame.number = frameNumber_++;
        frame.dt = dt;
        frame.wind = wind;
        *frame.staging = {frame.dt, frame.wind};
        GFX_TRY(cudaMemcpyAsync(pool_.resolve<FrameConstants>(constants_), frame.staging,
                                sizeof(FrameConstants), cudaMemcpyHostToDevice, queue_));
        if (!step_) record(frame);
        GFX_TRY(cudaGraphLaunch(step_, queue_));
        GFX_TRY(cudaEventRecord(frame.fence, queue_));
    }

    std::vector<Particle> readback() {
        std::vector<Particle> host(count_);
        GFX_TRY(cudaMemcpyAsync(host.data(), pool_.resolve<Particle>(state_[front_]),
                                sizeof(Particle) * count_, cudaMemcpyDeviceToHost, queue_));
        GFX_TRY(cudaStreamSynchronize(queue_));
        return host;
    }

private:
    void record(const FrameContext& frame) {
        cudaGraph_t graph = nullptr;
        GFX_TRY(cudaStreamBeginCapture(queue_, cudaStreamCaptureModeThreadLocal));
        const int block = 128;
        integrate<<<(count_ + block - 1) / block, block, 0, queue_>>>(
            pool_.resolve<Particle>(state_[back_]), pool_.resolve<Particle>(state_[front_]),  // HAZARD host_logic #swap
            pool_.resolve<FrameConstants>(constants_), frame.dt, count_);  // HAZARD frozen
        GFX_TRY(cudaGetLastError());
        std::swap(front_, back_);  // HAZARD host_logic #swap
        GFX_TRY(cudaStreamEndCapture(queue_, &graph));
        GFX_TRY(cudaGraphInstantiate(&step_, graph, 0));
        GFX_TRY(cudaGraphDestroy(graph));
    }

    BufferPool& pool_;
    const int count_;
    cudaStream_t queue_ = nullptr;
    std::array<BufferHandle, 2> state_;
    BufferHandle constants_;
    std::array<FrameContext, kFramesInFlight> frames_;
    uint64_t frameNumber_ = 0;
    uint32_t front_ = 0;
    uint32_t back_ = 1;
    cudaGraphExec_t step_ = nullptr;
};

}  // namespace ember

int main() {
    constexpr int kCount = 1000;
    const float dts[] = {1.0f / 60, 1.0f / 30, 1.0f / 120, 1.0f / 40, 1.0f / 60, 1.0f / 25};
    int wrongPos = 0, wrongShutter = 0;
    {
        ember::BufferPool pool;
        ember::SwarmSystem swarm(pool, kCount);
        std::vector<ember::Particle> ref(kCount);
        for (int i = 0; i < kCount; ++i) ref[i] = {0.01f * i, 1.0f + (i % 5), 0.0f};
        swarm.spawn(ref);
        float wind = 1.0f;
        for (float dt : dts) {
            swarm.simulate(dt, wind);
            for (ember::Particle& p : ref) {
                p.v += wind * dt;
                p.x += p.v * dt;
                p.shutter = dt * ember::kShutterScale;
            }
            wind += 0.5f;
            const std::vector<ember::Particle> got = swarm.readback();
            for (int i = 0; i < kCount; ++i) {
                wrongPos += std::fabs(got[i].x - ref[i].x) > 1e-3f;
                wrongShutter += std::fabs(got[i].shutter - ref[i].shutter) > 1e-5f;
            }
        }
    }
    std::printf("wrong positions %d, wrong shutters %d\n", wrongPos, wrongShutter);
    const bool confirmed = ember::g_deviceHealthy && wrongPos > 0 && wrongShutter > 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
