// Animation subsystem: evaluates skeleton poses on the CPU, uploads the matrix palette and skins a
// character mesh on the GPU. CPU data lives in linear arenas of page-locked memory: one is reset per
// frame, one lives as long as the level.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace engine {

inline void verify(cudaError_t e, const char* file, int line) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(e));
    std::printf("LABEL WRONG\n");
    std::exit(1);
}
#define VERIFY(x) ::engine::verify((x), __FILE__, __LINE__)

// Linear allocator over one page-locked block. Everything handed out lives until reset().
class FrameArena {
public:
    explicit FrameArena(size_t bytes) : capacity_(bytes) {
        VERIFY(cudaHostAlloc(reinterpret_cast<void**>(&base_), bytes, cudaHostAllocDefault));
    }
    ~FrameArena() { cudaFreeHost(base_); }
    FrameArena(const FrameArena&) = delete;
    FrameArena& operator=(const FrameArena&) = delete;

    template <class T>
    T* allocate(size_t count) {
        size_t begin = (offset_ + 63) & ~size_t(63);
        if (begin + count * sizeof(T) > capacity_) return nullptr;
        offset_ = begin + count * sizeof(T);
        return reinterpret_cast<T*>(base_ + begin);
    }
    void reset() { offset_ = 0; }

private:
    unsigned char* base_ = nullptr;
    size_t capacity_;
    size_t offset_ = 0;
};

struct Affine {
    float scale;
    float tx, ty, tz;
};

struct Vertex {
    float x, y, z;
    uint32_t bone;
};

__global__ void skinVertices(const Vertex* bind, const Affine* palette, Vertex* posed, uint32_t n) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Vertex v = bind[i];
    Affine m = palette[v.bone];
    posed[i] = Vertex{v.x * m.scale + m.tx, v.y * m.scale + m.ty, v.z * m.scale + m.tz, v.bone};
}

struct Skeleton {
    uint32_t bones;
    void evaluate(float time, Affine* out) const {
        for (uint32_t b = 0; b < bones; ++b)
            out[b] = Affine{1.f + 0.01f * b, std::sin(time + 0.1f * b), std::cos(time), 0.5f * time};
    }
};

// Lines drawn by the debug overlay; rebuilt every frame and uploaded outside the character graph.
class DebugOverlay {
public:
    explicit DebugOverlay(uint32_t maxLines) : maxLines_(maxLines) {
        VERIFY(cudaMalloc(&device_, maxLines * sizeof(float4)));
    }
    ~DebugOverlay() { cudaFree(device_); }
    void build(FrameArena& arena, uint32_t lines, cudaStream_t stream) {
        if (lines == 0 || lines > maxLines_) return;
        float4* data = arena.allocate<float4>(lines);
        if (!data) return;
        for (uint32_t i = 0; i < lines; ++i) data[i] = float4{-10.f, 20.f + i, 30.f, 40.f};
        VERIFY(cudaMemcpyAsync(device_, data, lines * sizeof(float4), cudaMemcpyHostToDevice, stream));
    }

private:
    uint32_t maxLines_;
    float4* device_ = nullptr;
};

class SkinningSystem {
public:
    SkinningSystem(const Skeleton& skeleton, const std::vector<Vertex>& mesh, FrameArena& level, cudaStream_t stream)
        : skeleton_(skeleton), vertexCount_(static_cast<uint32_t>(mesh.size())), stream_(stream) {
        staging_ = level.allocate<Affine>(skeleton.bones);
        VERIFY(staging_ ? cudaSuccess : cudaErrorMemoryAllocation);
        VERIFY(cudaMalloc(&bind_, mesh.size() * sizeof(Vertex)));
        VERIFY(cudaMalloc(&posed_, mesh.size() * sizeof(Vertex)));
        VERIFY(cudaMalloc(&palette_, skeleton.bones * sizeof(Affine)));
        VERIFY(cudaMemcpyAsync(bind_, mesh.data(), mesh.size() * sizeof(Vertex), cudaMemcpyHostToDevice, stream_));
        VERIFY(cudaStreamSynchronize(stream_));
    }
    ~SkinningSystem() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(bind_);
        cudaFree(posed_);
        cudaFree(palette_);
    }
    SkinningSystem(const SkinningSystem&) = delete;
    SkinningSystem& operator=(const SkinningSystem&) = delete;

    bool update(FrameArena& scratch, float time) {
        Affine* pose = scratch.allocate<Affine>(skeleton_.bones);
        if (!pose) return false;
        skeleton_.evaluate(time, pose);
        VERIFY(cudaStreamSynchronize(stream_));
        std::copy(pose, pose + skeleton_.bones, staging_);
        if (!exec_) exec_ = recordCharacter();
        VERIFY(cudaGraphLaunch(exec_, stream_));
        return true;
    }

    std::vector<Vertex> readBack() const {
        std::vector<Vertex> out(vertexCount_);
        VERIFY(cudaMemcpyAsync(out.data(), posed_, vertexCount_ * sizeof(Vertex), cudaMemcpyDeviceToHost, stream_));
        VERIFY(cudaStreamSynchronize(stream_));
        return out;
    }

private:
    cudaGraphExec_t recordCharacter() {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        const size_t bytes = skeleton_.bones * sizeof(Affine);
        VERIFY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        VERIFY(cudaMemcpyAsync(palette_, staging_, bytes, cudaMemcpyHostToDevice, stream_));
        skinVertices<<<(vertexCount_ + 255) / 256, 256, 0, stream_>>>(bind_, palette_, posed_, vertexCount_);
        VERIFY(cudaGetLastError());
        VERIFY(cudaStreamEndCapture(stream_, &graph));
        VERIFY(cudaGraphInstantiate(&exec, graph, 0));
        VERIFY(cudaGraphDestroy(graph));
        return exec;
    }

    Skeleton skeleton_;
    uint32_t vertexCount_;
    cudaStream_t stream_;
    Vertex* bind_ = nullptr;
    Vertex* posed_ = nullptr;
    Affine* palette_ = nullptr;
    Affine* staging_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

std::vector<Vertex> makeMesh(uint32_t n, uint32_t bones) {
    std::vector<Vertex> mesh(n);
    for (uint32_t i = 0; i < n; ++i) mesh[i] = Vertex{0.01f * i, 1.f, -0.02f * (i % 100), i % bones};
    return mesh;
}

uint32_t countMismatches(const Skeleton& s, const std::vector<Vertex>& mesh, const std::vector<Vertex>& posed,
                         float time) {
    std::vector<Affine> palette(s.bones);
    s.evaluate(time, palette.data());
    uint32_t bad = 0;
    for (size_t i = 0; i < mesh.size(); ++i) {
        const Affine& m = palette[mesh[i].bone];
        float ex = std::fabs(mesh[i].x * m.scale + m.tx - posed[i].x);
        float ey = std::fabs(mesh[i].y * m.scale + m.ty - posed[i].y);
        float ez = std::fabs(mesh[i].z * m.scale + m.tz - posed[i].z);
        if (!(ex + ey + ez < 1e-3f)) ++bad;
    }
    return bad;
}

}  // namespace engine

int main() {
    using namespace engine;
    constexpr uint32_t kBones = 48, kVertices = 3000;

    cudaStream_t stream = nullptr;
    VERIFY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int wrongFrames = 0;
    {
        FrameArena level(64 * 1024);
        FrameArena arena(256 * 1024);
        DebugOverlay overlay(1024);
        Skeleton skeleton{kBones};
        const std::vector<Vertex> mesh = makeMesh(kVertices, kBones);
        SkinningSystem skinning(skeleton, mesh, level, stream);

        for (uint32_t frame = 0; frame < 6; ++frame) {
            const float time = 0.4f * frame;
            arena.reset();
            overlay.build(arena, 100 * frame, stream);
            if (!skinning.update(arena, time)) return 1;
            VERIFY(cudaStreamSynchronize(stream));
            uint32_t bad = countMismatches(skeleton, mesh, skinning.readBack(), time);
            std::printf("frame %u: %u vertices off\n", frame, bad);
            if (bad) ++wrongFrames;
        }
    }
    VERIFY(cudaStreamDestroy(stream));
    std::printf(wrongFrames == 0 ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
