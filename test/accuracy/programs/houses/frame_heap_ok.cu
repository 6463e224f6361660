// Particle frames of the engine: per-frame scratch comes from a paged GPU heap.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

namespace eng {

template <class T>
class Array {
public:
    Array() = default;
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() { std::free(m_data); }
    T& Push(const T& v) {
        if (m_size == m_cap) {
            m_cap = m_cap ? m_cap * 2 : 4;
            m_data = static_cast<T*>(std::realloc(m_data, m_cap * sizeof(T)));
            if (!m_data) std::abort();
        }
        return *new (&m_data[m_size++]) T(v);
    }
    T* begin() { return m_data; }
    T* end() { return m_data + m_size; }
    uint32_t Size() const { return m_size; }
    T& operator[](uint32_t i) { return m_data[i]; }
private:
    T* m_data = nullptr;
    uint32_t m_size = 0, m_cap = 0;
};

struct HeapPage { uint8_t* base; size_t size; size_t used; };

class GpuHeap {
public:
    explicit GpuHeap(size_t pageSize) : m_pageSize(pageSize) {}
    ~GpuHeap() { for (HeapPage& p : m_pages) cudaFree(p.base); }

    void Rewind() { for (HeapPage& p : m_pages) p.used = 0; }

    void* Alloc(size_t bytes) {
        bytes = (bytes + 255) & ~size_t(255);
        for (HeapPage& p : m_pages)
            if (p.size - p.used >= bytes) return Bump(p, bytes);
        HeapPage* p = AddPage(bytes > m_pageSize ? bytes : m_pageSize);
        return p ? Bump(*p, bytes) : nullptr;
    }

    bool Prewarm(size_t bytes, uint32_t blocks) {
        Rewind();
        for (uint32_t i = 0; i < blocks; ++i)
            if (!Alloc(bytes)) return false;
        Rewind();
        return true;
    }

    cudaError_t LastError() const { return m_last; }
    uint32_t PageCount() const { return m_pages.Size(); }

private:
    static void* Bump(HeapPage& p, size_t bytes) {
        void* r = p.base + p.used;
        p.used += bytes;
        return r;
    }
    HeapPage* AddPage(size_t size) {
        void* mem = nullptr;
        m_last = cudaMalloc(&mem, size);
        if (m_last != cudaSuccess) return nullptr;
        return &m_pages.Push(HeapPage{static_cast<uint8_t*>(mem), size, 0});
    }
    size_t m_pageSize;
    cudaError_t m_last = cudaSuccess;
    Array<HeapPage> m_pages;
};

} // namespace eng

__global__ void ForceKernel(const float* pos, float* force, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) force[i] = pos[i] * 0.5f;
}
__global__ void MoveKernel(float* pos, const float* force, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pos[i] += force[i];
}
__global__ void FillKernel(float* p, float v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v;
}

struct Emitter { float* pos; int frames; };

class ParticleWorld {
public:
    static constexpr int kCount = 4096;
    ParticleWorld() : m_heap(2 * kCount * sizeof(float)) {
        cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking);
    }
    ~ParticleWorld() {
        cudaStreamSynchronize(m_stream);
        if (m_exec) cudaGraphExecDestroy(m_exec);
        for (Emitter& e : m_emitters) cudaFree(e.pos);
        cudaStreamDestroy(m_stream);
    }
    cudaError_t Spawn() {
        Emitter e{nullptr, 0};
        cudaError_t rc = cudaMalloc(&e.pos, kCount * sizeof(float));
        if (rc != cudaSuccess) return rc;
        FillKernel<<<kCount / 256, 256, 0, m_stream>>>(e.pos, 1.0f, kCount);
        m_emitters.Push(e);
        if ((rc = cudaStreamSynchronize(m_stream)) != cudaSuccess) return rc;
        if (!m_heap.Prewarm(kCount * sizeof(float), m_emitters.Size())) return m_heap.LastError();
        if (m_exec) { cudaGraphExecDestroy(m_exec); m_exec = nullptr; }
        return cudaSuccess;
    }
    cudaError_t FrameEager() {
        if (!Record()) return cudaErrorMemoryAllocation;
        CountFrame();
        cudaError_t rc = cudaGetLastError();
        return rc != cudaSuccess ? rc : cudaStreamSynchronize(m_stream);
    }
    cudaError_t FrameGraph() {
        if (!m_exec) {
            cudaError_t rc = Bake();
            if (rc != cudaSuccess) return rc;
        }
        cudaError_t rc = cudaGraphLaunch(m_exec, m_stream);
        if (rc != cudaSuccess) return rc;
        CountFrame();
        return cudaStreamSynchronize(m_stream);
    }
    bool Verify() {
        static float host[kCount];
        for (Emitter& e : m_emitters) {
            if (cudaMemcpy(host, e.pos, sizeof(host), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
            float want = 1.0f;
            for (int f = 0; f < e.frames; ++f) want *= 1.5f;
            for (float v : host) if (v != want) { std::printf("pos %f want %f\n", v, want); return false; }
        }
        return true;
    }
    cudaError_t HeapError() const { return m_heap.LastError(); }
private:
    void CountFrame() { for (Emitter& e : m_emitters) e.frames++; }
    bool Record() {
        m_heap.Rewind();
        for (Emitter& e : m_emitters) {
            float* force = static_cast<float*>(m_heap.Alloc(kCount * sizeof(float)));
            if (!force) return false;
            ForceKernel<<<kCount / 256, 256, 0, m_stream>>>(e.pos, force, kCount);
            MoveKernel<<<kCount / 256, 256, 0, m_stream>>>(e.pos, force, kCount);
        }
        return true;
    }
    cudaError_t Bake() {
        cudaError_t rc = cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeGlobal);
        if (rc != cudaSuccess) return rc;
        bool recorded = Record();
        cudaGraph_t g = nullptr;
        rc = cudaStreamEndCapture(m_stream, &g);
        if (rc == cudaSuccess && !recorded) rc = cudaErrorMemoryAllocation;
        if (rc == cudaSuccess) rc = cudaGraphInstantiate(&m_exec, g, 0);
        if (g) cudaGraphDestroy(g);
        return rc;
    }
    eng::GpuHeap m_heap;
    eng::Array<Emitter> m_emitters;
    cudaStream_t m_stream = nullptr;
    cudaGraphExec_t m_exec = nullptr;
};

int main() {
    ParticleWorld world;
    bool ok = true;
    ok &= world.Spawn() == cudaSuccess;
    ok &= world.Spawn() == cudaSuccess;
    ok &= world.FrameEager() == cudaSuccess;
    for (int i = 0; i < 3; ++i) ok &= world.FrameGraph() == cudaSuccess;
    ok &= world.Verify();
    ok &= world.Spawn() == cudaSuccess;
    cudaError_t rc = cudaSuccess;
    for (int i = 0; i < 3 && rc == cudaSuccess; ++i) rc = world.FrameGraph();
    std::printf("third emitter: frame %s, heap %s\n", cudaGetErrorName(rc), cudaGetErrorName(world.HeapError()));
    ok &= world.Verify();
    if (ok && rc == cudaSuccess && world.HeapError() == cudaSuccess) {
        std::printf("LABEL CONFIRMED\n");
        return 0;
    }
    std::printf("LABEL UNOBSERVED\n");
    return 1;
}
