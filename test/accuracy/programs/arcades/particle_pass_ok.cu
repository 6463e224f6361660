// Effects module: GPU particle simulation recorded as a list of render passes and
// replayed once per frame.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace fx {

inline void gpuCheck(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    std::printf("LABEL WRONG\n");
    std::exit(1);
}
#define GPU(x) ::fx::gpuCheck((x), #x)

struct Particle {
    float3 pos;
    float life;
    float3 vel;
    float drag;
};

struct FrameConstants {
    float dt;
    float3 wind;
};

__global__ void applyForces(Particle* p, uint32_t n, const FrameConstants* fc) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float3 wind = fc->wind;
    const float dt = fc->dt;
    p[i].vel.x += (wind.x - p[i].vel.x * p[i].drag) * dt;
    p[i].vel.y += (wind.y - 9.81f - p[i].vel.y * p[i].drag) * dt;
    p[i].vel.z += (wind.z - p[i].vel.z * p[i].drag) * dt;
}

__global__ void integrate(Particle* p, uint32_t n, const FrameConstants* fc) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float dt = fc->dt;
    p[i].pos.x += p[i].vel.x * dt;
    p[i].pos.y += p[i].vel.y * dt;
    p[i].pos.z += p[i].vel.z * dt;
    p[i].life -= dt;
}

__global__ void collideGround(Particle* p, uint32_t n, float restitution) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || p[i].pos.y >= 0.f) return;
    p[i].pos.y = -p[i].pos.y;
    p[i].vel.y = -p[i].vel.y * restitution;
}

struct BufferHandle {
    uint32_t slot = UINT32_MAX;
};

class ResourceManager {
public:
    ~ResourceManager() {
        for (auto& e : entries_) cudaFree(e.memory);
    }
    BufferHandle createBuffer(size_t bytes) {
        Entry e{nullptr, bytes};
        GPU(cudaMalloc(&e.memory, bytes));
        entries_.push_back(e);
        return BufferHandle{static_cast<uint32_t>(entries_.size() - 1)};
    }
    template <class T>
    T* as(BufferHandle h) const { return static_cast<T*>(entries_.at(h.slot).memory); }

private:
    struct Entry {
        void* memory;
        size_t bytes;
    };
    std::vector<Entry> entries_;
};

class RenderPass {
public:
    virtual ~RenderPass() = default;
    virtual void record(cudaStream_t queue) = 0;
};

// Per-frame constant block: a pinned shadow copy with a fixed address and its device mirror.
class ConstantBlock {
public:
    explicit ConstantBlock(ResourceManager& rm) : rm_(rm), mirror_(rm.createBuffer(sizeof(FrameConstants))) {
        GPU(cudaMallocHost(&shadow_, sizeof(FrameConstants)));
        *shadow_ = FrameConstants{0.f, {0.f, 0.f, 0.f}};
    }
    ~ConstantBlock() { cudaFreeHost(shadow_); }
    ConstantBlock(const ConstantBlock&) = delete;
    ConstantBlock& operator=(const ConstantBlock&) = delete;
    FrameConstants& shadow() { return *shadow_; }
    const FrameConstants* device() const { return rm_.as<FrameConstants>(mirror_); }
    void upload(cudaStream_t queue) const {
        GPU(cudaMemcpyAsync(rm_.as<FrameConstants>(mirror_), shadow_, sizeof(FrameConstants), cudaMemcpyHostToDevice,
                            queue));
    }

private:
    ResourceManager& rm_;
    BufferHandle mirror_;
    FrameConstants* shadow_ = nullptr;
};

class ConstantsPass final : public RenderPass {
public:
    explicit ConstantsPass(const ConstantBlock& block) : block_(block) {}
    void record(cudaStream_t queue) override { block_.upload(queue); }

private:
    const ConstantBlock& block_;
};

class ParticlePass : public RenderPass {
public:
    ParticlePass(const ResourceManager& rm, BufferHandle h, uint32_t n) : rm_(rm), handle_(h), count_(n) {}

protected:
    Particle* particles() const { return rm_.as<Particle>(handle_); }
    uint32_t blocks() const { return (count_ + 127u) / 128u; }
    const ResourceManager& rm_;
    BufferHandle handle_;
    uint32_t count_;
};

class ForcePass final : public ParticlePass {
public:
    ForcePass(const ResourceManager& rm, BufferHandle h, uint32_t n, const ConstantBlock& f)
        : ParticlePass(rm, h, n), frame_(f) {}
    void record(cudaStream_t queue) override {
        applyForces<<<blocks(), 128, 0, queue>>>(particles(), count_, frame_.device());
        GPU(cudaGetLastError());
    }

private:
    const ConstantBlock& frame_;
};

class MotionPass final : public ParticlePass {
public:
    MotionPass(const ResourceManager& rm, BufferHandle h, uint32_t n, const ConstantBlock& f, float restitution)
        : ParticlePass(rm, h, n), frame_(f), restitution_(restitution) {}
    void record(cudaStream_t queue) override {
        integrate<<<blocks(), 128, 0, queue>>>(particles(), count_, frame_.device());
        GPU(cudaGetLastError());
        collideGround<<<blocks(), 128, 0, queue>>>(particles(), count_, restitution_);
        GPU(cudaGetLastError());
    }

private:
    const ConstantBlock& frame_;
    const float restitution_;
};

class EffectsRenderer {
public:
    EffectsRenderer() { GPU(cudaStreamCreateWithFlags(&queue_, cudaStreamNonBlocking)); }
    ~EffectsRenderer() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(queue_);
    }
    void addPass(std::unique_ptr<RenderPass> pass) { passes_.push_back(std::move(pass)); }
    cudaStream_t queue() const { return queue_; }

    void renderFrame() {
        if (!exec_) compile();
        GPU(cudaGraphLaunch(exec_, queue_));
        GPU(cudaStreamSynchronize(queue_));
    }

private:
    void compile() {
        cudaGraph_t graph = nullptr;
        GPU(cudaStreamBeginCapture(queue_, cudaStreamCaptureModeThreadLocal));
        for (auto& pass : passes_) pass->record(queue_);
        GPU(cudaStreamEndCapture(queue_, &graph));
        GPU(cudaGraphInstantiate(&exec_, graph, 0));
        GPU(cudaGraphDestroy(graph));
    }

    cudaStream_t queue_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::vector<std::unique_ptr<RenderPass>> passes_;
};

class GameClock {
public:
    float tick() { return kSteps[cursor_++ % 5]; }

private:
    static constexpr float kSteps[5] = {0.016f, 0.033f, 0.008f, 0.025f, 0.012f};
    uint32_t cursor_ = 0;
};

void advanceFrame(FrameConstants& frame, uint32_t index, GameClock& clock) {
    frame.dt = clock.tick();
    frame.wind = float3{0.5f * index, 0.1f, 2.f - 0.25f * index};
}

void simulateOnCpu(std::vector<Particle>& ps, const FrameConstants& f, float restitution) {
    for (auto& p : ps) {
        p.vel.x += (f.wind.x - p.vel.x * p.drag) * f.dt;
        p.vel.y += (f.wind.y - 9.81f - p.vel.y * p.drag) * f.dt;
        p.vel.z += (f.wind.z - p.vel.z * p.drag) * f.dt;
        p.pos.x += p.vel.x * f.dt;
        p.pos.y += p.vel.y * f.dt;
        p.pos.z += p.vel.z * f.dt;
        p.life -= f.dt;
        if (p.pos.y < 0.f) {
            p.pos.y = -p.pos.y;
            p.vel.y = -p.vel.y * restitution;
        }
    }
}

std::vector<Particle> emitBurst(uint32_t n) {
    std::vector<Particle> ps(n);
    for (uint32_t i = 0; i < n; ++i)
        ps[i] = Particle{{0.01f * i, 5.f + 0.002f * i, 0.f}, 4.f, {1.f, 2.f, -0.01f * (i % 50)}, 0.1f};
    return ps;
}

float largestError(const std::vector<Particle>& a, const std::vector<Particle>& b) {
    float worst = 0.f;
    for (size_t i = 0; i < a.size(); ++i) {
        worst = std::fmax(worst, std::fabs(a[i].pos.x - b[i].pos.x));
        worst = std::fmax(worst, std::fabs(a[i].pos.y - b[i].pos.y));
        worst = std::fmax(worst, std::fabs(a[i].pos.z - b[i].pos.z));
        worst = std::fmax(worst, std::fabs(a[i].life - b[i].life));
    }
    return worst;
}

}  // namespace fx

int main() {
    using namespace fx;
    constexpr uint32_t kCount = 1500;
    constexpr float kRestitution = 0.6f;

    ResourceManager resources;
    ConstantBlock frame(resources);
    EffectsRenderer renderer;
    GameClock clock;

    BufferHandle particles = resources.createBuffer(kCount * sizeof(Particle));
    renderer.addPass(std::make_unique<ConstantsPass>(frame));
    renderer.addPass(std::make_unique<ForcePass>(resources, particles, kCount, frame));
    renderer.addPass(std::make_unique<MotionPass>(resources, particles, kCount, frame, kRestitution));

    std::vector<Particle> expected = emitBurst(kCount), actual(kCount);
    GPU(cudaMemcpyAsync(resources.as<Particle>(particles), expected.data(), kCount * sizeof(Particle),
                        cudaMemcpyHostToDevice, renderer.queue()));
    GPU(cudaStreamSynchronize(renderer.queue()));

    int wrongFrames = 0;
    for (int i = 0; i < 6; ++i) {
        advanceFrame(frame.shadow(), static_cast<uint32_t>(i), clock);
        renderer.renderFrame();
        simulateOnCpu(expected, frame.shadow(), kRestitution);
        GPU(cudaMemcpyAsync(actual.data(), resources.as<Particle>(particles), kCount * sizeof(Particle),
                            cudaMemcpyDeviceToHost, renderer.queue()));
        GPU(cudaStreamSynchronize(renderer.queue()));
        float err = largestError(expected, actual);
        std::printf("frame %d dt %.3f error %g\n", i, frame.shadow().dt, err);
        if (err > 1e-3f) ++wrongFrames;
    }
    std::printf(wrongFrames == 0 ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
