// Wind field for grass blades: state lives in two pooled buffers that swap roles every tick.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GPU_CHECK(call) ::engine::CheckGpu((call), #call, __LINE__)

namespace engine {

inline void CheckGpu(cudaError_t result, const char* what, int line)
{
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "GPU error at line %d: %s -> %s\n", line, what, cudaGetErrorName(result));
    std::abort();
}

struct BufferHandle {
    uint32_t index = ~0u;
    uint32_t generation = 0;
};

class GpuBufferPool {
public:
    static GpuBufferPool& Get()
    {
        static GpuBufferPool instance;
        return instance;
    }

    BufferHandle Create(size_t bytes)
    {
        Slot slot;
        GPU_CHECK(cudaMalloc(&slot.memory, bytes));
        slot.generation = ++m_generation;
        m_slots.push_back(slot);
        return BufferHandle{static_cast<uint32_t>(m_slots.size() - 1), slot.generation};
    }

    template <typename T>
    T* Resolve(BufferHandle handle) const
    {
        const Slot& slot = m_slots.at(handle.index);
        return slot.generation == handle.generation ? static_cast<T*>(slot.memory) : nullptr;
    }

    void Shutdown()
    {
        for (Slot& slot : m_slots) GPU_CHECK(cudaFree(slot.memory));
        m_slots.clear();
    }

private:
    struct Slot {
        void* memory = nullptr;
        uint32_t generation = 0;
    };
    std::vector<Slot> m_slots;
    uint32_t m_generation = 0;
};

class DoubleBuffer {
public:
    explicit DoubleBuffer(size_t bytes)
        : m_buffers{GpuBufferPool::Get().Create(bytes), GpuBufferPool::Get().Create(bytes)} {}
    BufferHandle Front() const { return m_buffers[m_parity]; }
    BufferHandle Back() const { return m_buffers[m_parity ^ 1u]; }
    uint32_t Parity() const { return m_parity; }
    void Swap() { m_parity ^= 1u; }

private:
    BufferHandle m_buffers[2];
    uint32_t m_parity = 0;
};

} // namespace engine

__global__ void BendBlades(const float* __restrict__ prev, float* __restrict__ next, int blades)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blades) return;
    const float left = prev[i == 0 ? blades - 1 : i - 1];
    next[i] = 0.75f * prev[i] + 0.25f * left + 0.01f;
}

class GrassWindSystem {
public:
    GrassWindSystem(int blades, cudaStream_t stream)
        : m_bend(blades * sizeof(float)), m_blades(blades), m_stream(stream) {}

    ~GrassWindSystem()
    {
        GPU_CHECK(cudaStreamSynchronize(m_stream));
        for (cudaGraphExec_t exec : m_execs)
            if (exec) GPU_CHECK(cudaGraphExecDestroy(exec));
    }

    void Reset(const std::vector<float>& bend)
    {
        float* front = engine::GpuBufferPool::Get().Resolve<float>(m_bend.Front());
        GPU_CHECK(cudaMemcpyAsync(front, bend.data(), bend.size() * sizeof(float), cudaMemcpyHostToDevice, m_stream));
        GPU_CHECK(cudaStreamSynchronize(m_stream));
    }

    void Tick()
    {
        cudaGraphExec_t& exec = m_execs[m_bend.Parity()];
        if (!exec) exec = BuildGraph();
        GPU_CHECK(cudaGraphLaunch(exec, m_stream));
        m_bend.Swap();
    }

    std::vector<float> ReadBack() const
    {
        std::vector<float> out(m_blades);
        const float* front = engine::GpuBufferPool::Get().Resolve<float>(m_bend.Front());
        GPU_CHECK(cudaMemcpyAsync(out.data(), front, out.size() * sizeof(float), cudaMemcpyDeviceToHost, m_stream));
        GPU_CHECK(cudaStreamSynchronize(m_stream));
        return out;
    }

private:
    cudaGraphExec_t BuildGraph() const
    {
        const auto& pool = engine::GpuBufferPool::Get();
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        GPU_CHECK(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeGlobal));
        const float* prev = pool.Resolve<float>(m_bend.Front());
        float* next = pool.Resolve<float>(m_bend.Back());
        BendBlades<<<(m_blades + 255) / 256, 256, 0, m_stream>>>(prev, next, m_blades);
        GPU_CHECK(cudaGetLastError());
        GPU_CHECK(cudaStreamEndCapture(m_stream, &graph));
        GPU_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        GPU_CHECK(cudaGraphDestroy(graph));
        return exec;
    }

    engine::DoubleBuffer m_bend;
    const int m_blades;
    cudaStream_t m_stream;
    cudaGraphExec_t m_execs[2] = {};
};

int main()
{
    constexpr int kBlades = 500;
    constexpr int kTicks = 5;
    std::vector<float> expected(kBlades);
    for (int i = 0; i < kBlades; ++i) expected[i] = static_cast<float>(i % 11);

    cudaStream_t stream = nullptr;
    GPU_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    std::vector<float> actual;
    {
        GrassWindSystem wind(kBlades, stream);
        wind.Reset(expected);
        for (int t = 0; t < kTicks; ++t) wind.Tick();
        actual = wind.ReadBack();
    }
    engine::GpuBufferPool::Get().Shutdown();
    GPU_CHECK(cudaStreamDestroy(stream));

    for (int t = 0; t < kTicks; ++t) {
        const std::vector<float> prev = expected;
        for (int i = 0; i < kBlades; ++i)
            expected[i] = 0.75f * prev[i] + 0.25f * prev[i == 0 ? kBlades - 1 : i - 1] + 0.01f;
    }
    bool same = true;
    for (int i = 0; i < kBlades; ++i) same = same && std::fabs(expected[i] - actual[i]) < 1e-3f;
    std::puts(same ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
