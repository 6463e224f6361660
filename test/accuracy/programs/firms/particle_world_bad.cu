// Entity-component world on the GPU. Systems record their kernels once; the recorded frame is replayed per tick while
// gameplay code spawns entities between ticks.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

static void must(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    std::exit(2);
}

constexpr uint32_t kCapacity = 1024;
constexpr int kEmitters = 8;

template <class T>
class ComponentPool {
public:
    ComponentPool() { must(cudaMalloc(&dev_, kCapacity * sizeof(T)), "pool"); }
    ~ComponentPool() { cudaFree(dev_); }
    ComponentPool(const ComponentPool&) = delete;
    ComponentPool& operator=(const ComponentPool&) = delete;
    void set(uint32_t row, const T& v) {
        must(cudaMemcpy(dev_ + row, &v, sizeof(T), cudaMemcpyHostToDevice), "component upload");
    }
    T* device() const { return dev_; }

private:
    T* dev_ = nullptr;
};

struct World {
    ComponentPool<int> position;
    ComponentPool<int> velocity;
    uint32_t count = 0;

    uint32_t spawn(int p, int v) {
        const uint32_t row = count++;
        position.set(row, p);
        velocity.set(row, v);
        return row;
    }
};

__host__ __device__ inline int hashSpread(uint32_t seed, uint32_t i) {
    return static_cast<int>(((seed * 1664525u + i * 1013904223u) >> 16) & 7u);
}

__global__ void integrate(int* pos, const int* vel, uint32_t n) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pos[i] += vel[i];
}
__global__ void jitterEmitters(int* emitter, uint32_t seed) { emitter[threadIdx.x] += hashSpread(seed, threadIdx.x); }

struct FrameInfo {
    uint32_t tick;
};

class ISystem {
public:
    virtual ~ISystem() = default;
    virtual void record(World& world, const FrameInfo& frame, cudaStream_t s) = 0;
};

class MovementSystem final : public ISystem {
public:
    void record(World& w, const FrameInfo&, cudaStream_t s) override {
        const uint32_t n = w.count;
        integrate<<<(n + 63) / 64, 64, 0, s>>>(w.position.device(), w.velocity.device(), n);  // HAZARD dynamic_shape
    }
};

class EmitterSystem final : public ISystem {
public:
    EmitterSystem() {
        must(cudaMalloc(&emitters_, kEmitters * sizeof(int)), "emitters");
        must(cudaMemset(emitters_, 0, kEmitters * sizeof(int)), "emitters");
    }
    ~EmitterSystem() override { cudaFree(emitters_); }
    void record(World&, const FrameInfo& frame, cudaStream_t s) override {
        jitterEmitters<<<1, kEmitters, 0, s>>>(emitters_, frame.tick);  // HAZARD random
    }
    int* device() const { return emitters_; }

private:
    int* emitters_ = nullptr;
};

class Scheduler {
public:
    Scheduler() {
        must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~Scheduler() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    void add(ISystem* s) { systems_.push_back(s); }

    void tick(World& world) {
        ++tick_;
        if (!exec_) record(world);
        must(cudaGraphLaunch(exec_, stream_), "launch");
        must(cudaStreamSynchronize(stream_), "tick");
    }

private:
    void record(World& world) {
        cudaGraph_t graph = nullptr;
        const FrameInfo frame{tick_};
        must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        for (ISystem* s : systems_) s->record(world, frame, stream_);
        must(cudaGetLastError(), "systems");
        must(cudaStreamEndCapture(stream_, &graph), "end");
        must(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        must(cudaGraphDestroy(graph), "graph");
    }

    std::vector<ISystem*> systems_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    uint32_t tick_ = 0;
};

int main() {
    World world;
    MovementSystem movement;
    EmitterSystem emitters;
    Scheduler scheduler;
    scheduler.add(&movement);
    scheduler.add(&emitters);

    std::vector<int> refPos, refVel;
    int refEmit[kEmitters] = {};
    bool moved = true, emitted = true;
    for (uint32_t tick = 1; tick <= 6; ++tick) {
        const int wave = tick == 1 ? 100 : tick % 2 == 0 ? 90 : 0;
        for (int k = 0; k < wave; ++k) {
            refPos.push_back(k);
            refVel.push_back(1 + k % 5);
            world.spawn(refPos.back(), refVel.back());
        }
        must(cudaDeviceSynchronize(), "spawn");
        scheduler.tick(world);
        for (size_t i = 0; i < refPos.size(); ++i) refPos[i] += refVel[i];
        for (int e = 0; e < kEmitters; ++e) refEmit[e] += hashSpread(tick, e);
        std::vector<int> pos(world.count);
        int emit[kEmitters];
        must(cudaMemcpy(pos.data(), world.position.device(), pos.size() * sizeof(int), cudaMemcpyDeviceToHost), "read");
        must(cudaMemcpy(emit, emitters.device(), sizeof emit, cudaMemcpyDeviceToHost), "read");
        moved = moved && pos == refPos;
        for (int e = 0; e < kEmitters; ++e) emitted = emitted && emit[e] == refEmit[e];
    }
    std::printf("movement %s, emitters %s\n", moved ? "right" : "wrong", emitted ? "right" : "wrong");
    std::puts(!moved && !emitted ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
