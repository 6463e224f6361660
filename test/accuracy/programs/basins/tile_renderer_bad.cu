// Tile renderer with two frames in flight. Draw constants come from linear
// arenas; every frame context owns a recorded graph that shades its target.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gfx {

inline void verify(cudaError_t e, const char* expr) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(expr) + " -> " + cudaGetErrorName(e));
}
#define VERIFY(x) ::gfx::verify((x), #x)

constexpr int kPixels = 2048;

struct DrawConstants { float scale, bias; };

__global__ void bin_tiles(float* scratch, const float* tint) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) scratch[i] = *tint;
}

// Shading cost is modelled by a number of clock cycles for each draw.
__global__ void shade(float* target, const float* scratch, const DrawConstants* c, long long cost) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long begin = clock64();
    while (clock64() - begin < cost) {}
    if (i < kPixels) target[i] += c->scale * scratch[i] + c->bias;
}

__global__ void overlay(float* hud, const DrawConstants* c, int glyphs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) hud[i] = c[i % glyphs].scale + c[i % glyphs].bias;
}

template <class T>
T* device_array(size_t n) {
    T* p = nullptr;
    VERIFY(cudaMalloc(&p, n * sizeof(T)));
    VERIFY(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}

class LinearArena {
public:
    explicit LinearArena(size_t bytes) : base_(device_array<char>(bytes)), size_(bytes) {}
    ~LinearArena() { cudaFree(base_); }
    LinearArena(const LinearArena&) = delete;
    template <class T> T* push(const std::vector<T>& items) {
        size_t bytes = (items.size() * sizeof(T) + 255) & ~size_t(255);
        if (used_ + bytes > size_) throw std::runtime_error("arena exhausted");
        T* p = reinterpret_cast<T*>(base_ + used_);
        used_ += bytes;
        VERIFY(cudaMemcpy(p, items.data(), items.size() * sizeof(T), cudaMemcpyHostToDevice));
        return p;
    }
    void reset() { used_ = 0; }
    size_t used() const { return used_; }
private:
    char* base_;
    size_t size_, used_ = 0;
};

struct FrameContext {
    explicit FrameContext(float tint_value) : target(device_array<float>(kPixels)), tint(device_array<float>(1)) {
        VERIFY(cudaStreamCreate(&stream));
        VERIFY(cudaMemcpy(tint, &tint_value, sizeof(float), cudaMemcpyHostToDevice));
    }
    ~FrameContext() {
        if (exec) cudaGraphExecDestroy(exec);
        cudaStreamDestroy(stream);
        cudaFree(target);
        cudaFree(tint);
    }
    cudaStream_t stream = nullptr;
    float *target, *tint;
    cudaGraphExec_t exec = nullptr;
};

class Renderer {
public:
    Renderer() : transient_(1 << 16), tile_scratch_(device_array<float>(kPixels)), hud_(device_array<float>(kPixels)) {
        contexts_[0] = std::make_unique<FrameContext>(1.f);
        contexts_[1] = std::make_unique<FrameContext>(8.f);
    }
    ~Renderer() {
        cudaFree(tile_scratch_);
        cudaFree(hud_);
    }
    void record_scene(const std::vector<DrawConstants>& draws) {
        const DrawConstants* constants = transient_.push(draws);
        for (auto& ctx : contexts_) record(*ctx, constants, static_cast<int>(draws.size()));
        end_frame();
    }
    void draw_overlay(const std::vector<DrawConstants>& glyphs) {
        const DrawConstants* c = transient_.push(glyphs);
        overlay<<<kPixels / 256, 256, 0, contexts_[0]->stream>>>(hud_, c, static_cast<int>(glyphs.size()));
        VERIFY(cudaGetLastError());
        VERIFY(cudaStreamSynchronize(contexts_[0]->stream));
        end_frame();
    }
    void submit(int i) { VERIFY(cudaGraphLaunch(contexts_[i]->exec, contexts_[i]->stream)); }
    void wait() {
        for (auto& ctx : contexts_) VERIFY(cudaStreamSynchronize(ctx->stream));
    }
    std::vector<float> read_target(int i) const { return read(contexts_[i]->target); }
    std::vector<float> read_hud() const { return read(hud_); }

private:
    static std::vector<float> read(const float* p) {
        std::vector<float> out(kPixels);
        VERIFY(cudaMemcpy(out.data(), p, kPixels * sizeof(float), cudaMemcpyDeviceToHost));
        return out;
    }
    void end_frame() { transient_.reset(); } // HAZARD dangling #a
    void record(FrameContext& ctx, const DrawConstants* constants, int count) {
        const int grid = kPixels / 256;
        float* scratch = tile_scratch_;
        cudaGraph_t graph = nullptr;
        VERIFY(cudaStreamBeginCapture(ctx.stream, cudaStreamCaptureModeGlobal));
        VERIFY(cudaMemsetAsync(ctx.target, 0, kPixels * sizeof(float), ctx.stream));
        bin_tiles<<<grid, 256, 0, ctx.stream>>>(scratch, ctx.tint); // HAZARD concurrent
        for (int d = 0; d < count; ++d)
            shade<<<grid, 256, 0, ctx.stream>>>(ctx.target, scratch, constants + d, 20000000LL); // HAZARD dangling #a
        VERIFY(cudaGetLastError());
        VERIFY(cudaStreamEndCapture(ctx.stream, &graph));
        VERIFY(cudaGraphInstantiate(&ctx.exec, graph, 0));
        VERIFY(cudaGraphDestroy(graph));
    }

    LinearArena transient_;
    float* tile_scratch_;
    float* hud_;
    std::array<std::unique_ptr<FrameContext>, 2> contexts_;
};

} // namespace gfx

static bool uniform(const char* tag, const std::vector<float>& px, float want) {
    bool same = true;
    for (float p : px) same = same && std::fabs(p - want) < 1e-4f;
    std::printf("%-10s first pixel %.3f, expected %.3f, %s\n", tag, px[0], want, same ? "uniform" : "differs");
    return same;
}

int main() {
    try {
        gfx::Renderer r;
        std::vector<gfx::DrawConstants> scene{{1.f, 0.25f}, {2.f, 0.5f}};
        auto expected = [&](float tint) {
            float s = 0.f;
            for (auto& d : scene) s += d.scale * tint + d.bias;
            return s;
        };
        r.record_scene(scene);

        // One frame at a time.
        r.submit(0);
        r.wait();
        bool single0 = uniform("single 0", r.read_target(0), expected(1.f));
        r.submit(1);
        r.wait();
        bool single1 = uniform("single 1", r.read_target(1), expected(8.f));

        // Two frames in flight.
        r.submit(0);
        r.submit(1);
        r.wait();
        bool flight0 = uniform("flight 0", r.read_target(0), expected(1.f));
        bool flight1 = uniform("flight 1", r.read_target(1), expected(8.f));

        r.draw_overlay({{5.f, 5.f}, {6.f, 6.f}, {7.f, 7.f}, {8.f, 8.f}});
        bool hud = r.read_hud()[1] == 12.f;
        r.submit(0);
        r.wait();
        bool after = uniform("after hud", r.read_target(0), expected(1.f));

        bool label = single0 && single1 && hud && !(flight0 && flight1) && !after;
        std::puts(label ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
    return 0;
}
