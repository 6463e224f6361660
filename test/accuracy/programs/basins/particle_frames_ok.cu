// Particle subsystem of a small engine. Resources are addressed by handles, the
// frame is described by a command list which is recorded into a CUDA graph.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#define GPU(x)                                                                   \
    do {                                                                         \
        cudaError_t r_ = (x);                                                    \
        if (r_ != cudaSuccess) {                                                 \
            std::printf("[gpu] %d: %s\n", __LINE__, cudaGetErrorString(r_));     \
            std::puts("LABEL WRONG");                                            \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)

__global__ void k_emit_wind(float* wind, int n, float gust) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) wind[i] += gust;
}

__global__ void k_clear_tiles(unsigned* tiles, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tiles[i] = 0;
}

__global__ void k_integrate(const float* src, const float* wind, float* dst, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = src[i] + wind[i];
}

__global__ void k_bin(const float* pos, unsigned* tiles, int n, int tile_count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&tiles[(int)(fabsf(pos[i])) % tile_count], 1u);
}

struct Handle {
    uint16_t slot = 0, generation = 0;
};

class ResourceHeap {
public:
    ~ResourceHeap() { for (auto& s : slots_) cudaFree(s.ptr); }
    Handle create(size_t bytes) {
        Slot s;
        GPU(cudaMalloc(&s.ptr, bytes));
        GPU(cudaMemset(s.ptr, 0, bytes));
        slots_.push_back(s);
        return Handle{static_cast<uint16_t>(slots_.size() - 1), s.generation};
    }
    template <class T> T* resolve(Handle h) const {
        const Slot& s = slots_.at(h.slot);
        return s.generation == h.generation ? static_cast<T*>(s.ptr) : nullptr;
    }
private:
    struct Slot { void* ptr = nullptr; uint16_t generation = 1; };
    std::vector<Slot> slots_;
};

struct FrameContext {
    cudaStream_t gfx = nullptr, upload = nullptr;
    cudaEvent_t opened = nullptr, uploaded = nullptr;
    FrameContext() {
        GPU(cudaStreamCreateWithFlags(&gfx, cudaStreamNonBlocking));
        GPU(cudaStreamCreateWithFlags(&upload, cudaStreamNonBlocking));
        GPU(cudaEventCreateWithFlags(&opened, cudaEventDisableTiming));
        GPU(cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming));
    }
    ~FrameContext() {
        cudaEventDestroy(opened);
        cudaEventDestroy(uploaded);
        cudaStreamDestroy(upload);
        cudaStreamDestroy(gfx);
    }
};

class CommandList {
public:
    using Command = std::function<void(FrameContext&)>;
    void push(Command c) { commands_.push_back(std::move(c)); }
    void submit(FrameContext& ctx) const {
        for (const auto& c : commands_) c(ctx);
    }
private:
    std::vector<Command> commands_;
};

class ParticleSystem {
public:
    static constexpr int kTiles = 16;
    ParticleSystem(ResourceHeap& heap, int n) : heap_(heap), n_(n) {
        front_ = heap.create(n * sizeof(float));
        back_ = heap.create(n * sizeof(float));
        wind_ = heap.create(n * sizeof(float));
        tiles_ = heap.create(kTiles * sizeof(unsigned));
    }
    void build(CommandList& list) {
        const int grid = (n_ + 127) / 128;
        list.push([](FrameContext& c) {
            GPU(cudaEventRecord(c.opened, c.gfx));
            GPU(cudaStreamWaitEvent(c.upload, c.opened, 0));
        });
        list.push([=, this_ = this](FrameContext& c) {
            float* wind = this_->heap_.resolve<float>(this_->wind_);
            k_emit_wind<<<grid, 128, 0, c.upload>>>(wind, this_->n_, this_->gust_);
            GPU(cudaEventRecord(c.uploaded, c.upload));
        });
        list.push([this](FrameContext& c) {
            k_clear_tiles<<<1, 32, 0, c.gfx>>>(heap_.resolve<unsigned>(tiles_), kTiles);
            GPU(cudaStreamWaitEvent(c.gfx, c.uploaded, 0));
        });
        list.push([=, this_ = this](FrameContext& c) {
            float* src = this_->heap_.resolve<float>(this_->front_);
            float* dst = this_->heap_.resolve<float>(this_->back_);
            k_integrate<<<grid, 128, 0, c.gfx>>>(src, this_->heap_.resolve<float>(this_->wind_), dst, this_->n_);
            k_bin<<<grid, 128, 0, c.gfx>>>(dst, this_->heap_.resolve<unsigned>(this_->tiles_), this_->n_, kTiles);
        });
        // The next recording of this list sees the buffers the other way round.
        list.push([this](FrameContext&) { std::swap(front_, back_); });
    }
    std::vector<float> positions(uint64_t frames) const { return read(frames % 2 ? back_ : front_); }
    std::vector<float> wind() const { return read(wind_); }
    std::vector<unsigned> tiles() const {
        std::vector<unsigned> out(kTiles);
        GPU(cudaMemcpy(out.data(), heap_.resolve<unsigned>(tiles_), kTiles * sizeof(unsigned), cudaMemcpyDeviceToHost));
        return out;
    }
    int size() const { return n_; }

private:
    std::vector<float> read(Handle h) const {
        std::vector<float> out(n_);
        GPU(cudaMemcpy(out.data(), heap_.resolve<float>(h), n_ * sizeof(float), cudaMemcpyDeviceToHost));
        return out;
    }
    ResourceHeap& heap_;
    int n_;
    const float gust_ = 0.5f;
    Handle front_, back_, wind_, tiles_;
};

class Renderer {
public:
    explicit Renderer(ParticleSystem& ps) { ps.build(list_); }
    ~Renderer() {
        for (auto g : frame_graphs_) if (g) cudaGraphExecDestroy(g);
    }
    void prepare() {
        GPU(cudaDeviceSynchronize());
        for (auto& g : frame_graphs_) g = record();
    }
    void render() {
        GPU(cudaGraphLaunch(frame_graphs_[frame_ % 2], ctx_.gfx));
        ++frame_;
    }
    void finish() { GPU(cudaDeviceSynchronize()); }
    uint64_t frames() const { return frame_; }

private:
    cudaGraphExec_t record() {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        GPU(cudaStreamBeginCapture(ctx_.gfx, cudaStreamCaptureModeThreadLocal));
        list_.submit(ctx_);
        GPU(cudaGetLastError());
        GPU(cudaStreamEndCapture(ctx_.gfx, &graph));
        GPU(cudaGraphInstantiate(&exec, graph, 0));
        GPU(cudaGraphDestroy(graph));
        return exec;
    }
    FrameContext ctx_;
    CommandList list_;
    cudaGraphExec_t frame_graphs_[2] = {nullptr, nullptr};
    uint64_t frame_ = 0;
};

int main() {
    constexpr int kFrames = 5;
    ResourceHeap heap;
    ParticleSystem particles(heap, 1000);
    Renderer renderer(particles);
    renderer.prepare();
    for (int f = 0; f < kFrames; ++f) renderer.render();
    renderer.finish();

    float want_wind = 0.f, want_pos = 0.f;
    for (int f = 0; f < kFrames; ++f) {
        want_wind += 0.5f;
        want_pos += want_wind;
    }
    auto pos = particles.positions(renderer.frames());
    auto wind = particles.wind();
    unsigned binned = 0;
    for (unsigned t : particles.tiles()) binned += t;
    std::printf("frames %llu wind %.2f/%.2f pos %.2f/%.2f binned %u\n", (unsigned long long)renderer.frames(), wind[0],
                want_wind, pos[0], want_pos, binned);
    bool good = binned == (unsigned)particles.size();
    for (int i = 0; i < particles.size(); ++i) good = good && wind[i] == want_wind && pos[i] == want_pos;
    std::puts(good ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
