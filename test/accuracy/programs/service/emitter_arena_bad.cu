#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#define VFX_CHECK(expr)                                                                          \
    do {                                                                                         \
        if (cudaError_t err_ = (expr)) {                                                         \
            std::printf("%s(%d): %s\nLABEL REFUTED\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            std::exit(0);                                                                        \
        }                                                                                        \
    } while (0)

namespace vfx {

using Handle = std::uint32_t;

// Open addressing, linear probing. Used all over the engine for handle lookups.
template <typename V>
class FlatHandleMap {
    struct Slot { Handle key = 0; V value{}; };
public:
    FlatHandleMap() : slots_(4) {}
    V& operator[](Handle h) {
        if ((used_ + 1) * 4 > slots_.size() * 3) rehash(slots_.size() * 2);
        Slot& s = probe(slots_, h);
        if (s.key == 0) { s.key = h; ++used_; }
        return s.value;
    }
    V& at(Handle h) { return probe(slots_, h).value; }
private:
    static Slot& probe(std::vector<Slot>& v, Handle h) {
        std::size_t i = (h * 2654435761u) & (v.size() - 1);
        while (v[i].key != 0 && v[i].key != h) i = (i + 1) & (v.size() - 1);
        return v[i];
    }
    void rehash(std::size_t n) {
        std::vector<Slot> bigger(n);
        for (const Slot& s : slots_)
            if (s.key) probe(bigger, s.key) = s;
        slots_.swap(bigger);  // HAZARD dangling #1
    }
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

// Pinned linear allocator.
class LinearArena {
public:
    explicit LinearArena(std::size_t bytes) : size_(bytes) { VFX_CHECK(cudaMallocHost(&base_, bytes)); }
    ~LinearArena() { cudaFreeHost(base_); }
    LinearArena(const LinearArena&) = delete;
    LinearArena& operator=(const LinearArena&) = delete;
    template <typename T> T* make(const T& init) {
        const std::size_t at = (head_ + alignof(T) - 1) & ~(alignof(T) - 1);
        if (at + sizeof(T) > size_) { std::puts("LABEL REFUTED"); std::exit(0); }
        head_ = at + sizeof(T);
        T* p = reinterpret_cast<T*>(base_ + at);
        *p = init;
        return p;
    }
    void reset() { head_ = 0; }
private:
    char* base_ = nullptr;
    std::size_t size_, head_ = 0;
};

struct EmitterParams { float rate; float drag; };
struct Wind { float x; float strength; };

__global__ void simulate(float* vel, const EmitterParams* e, const Wind* w, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) vel[i] += e->rate * e->drag + w->x * w->strength;
}

using EmitterTable = FlatHandleMap<EmitterParams>;

class EmitterSystem {
public:
    static constexpr int kParticles = 2048;
    EmitterSystem() : frameArena_(4096), levelArena_(4096) {
        VFX_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        VFX_CHECK(cudaMalloc(&vel_, kParticles * sizeof(float)));
        VFX_CHECK(cudaMalloc(&paramsGpu_, sizeof(EmitterParams)));
        VFX_CHECK(cudaMalloc(&windGpu_, sizeof(Wind)));
    }
    ~EmitterSystem() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(vel_); cudaFree(paramsGpu_); cudaFree(windGpu_);
        cudaStreamDestroy(stream_);
    }
    void spawn(Handle h, EmitterParams p) { live_[h] = p; priority_[h] = 1; }
    EmitterParams& params(Handle h) { return live_.at(h); }

    void bake(Handle hero, Wind wind) {
        Wind* w = frameArena_.make(wind);
        EmitterParams& p = live_.at(hero);
        VFX_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        VFX_CHECK(cudaMemsetAsync(vel_, 0, kParticles * sizeof(float), stream_));
        VFX_CHECK(cudaMemcpyAsync(paramsGpu_, &p, sizeof p, cudaMemcpyHostToDevice, stream_));  // HAZARD dangling #1
        VFX_CHECK(cudaMemcpyAsync(windGpu_, w, sizeof *w, cudaMemcpyHostToDevice, stream_));  // HAZARD dangling #2
        simulate<<<kParticles / 256, 256, 0, stream_>>>(vel_, paramsGpu_, windGpu_, kParticles);
        VFX_CHECK(cudaGetLastError());
        cudaGraph_t graph = nullptr;
        VFX_CHECK(cudaStreamEndCapture(stream_, &graph));
        VFX_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        VFX_CHECK(cudaGraphDestroy(graph));
    }

    float tick(float cameraShake) {
        frameArena_.reset();  // HAZARD dangling #2
        const float* shake = frameArena_.make(cameraShake);
        float v = 0.f;
        VFX_CHECK(cudaGraphLaunch(exec_, stream_));
        VFX_CHECK(cudaMemcpyAsync(&v, vel_, sizeof v, cudaMemcpyDeviceToHost, stream_));
        VFX_CHECK(cudaStreamSynchronize(stream_));
        return v + *shake;
    }

private:
    LinearArena frameArena_, levelArena_;
    EmitterTable live_;
    FlatHandleMap<int> priority_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* vel_ = nullptr;
    EmitterParams* paramsGpu_ = nullptr;
    Wind* windGpu_ = nullptr;
};

}  // namespace vfx

int main() {
    vfx::EmitterSystem fx;
    fx.spawn(7, {2.f, 0.5f});
    fx.bake(7, {3.f, 2.f});
    bool good = fx.tick(100.f) == 107.f;
    for (vfx::Handle h = 20; h < 60; ++h) fx.spawn(h, {9.f, 9.f});
    fx.params(7).rate = 4.f;
    good = good && fx.tick(100.f) == 108.f && fx.tick(50.f) == 58.f;
    std::puts(good ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
