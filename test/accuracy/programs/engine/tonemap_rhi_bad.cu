// Post-process tonemapping on top of the CUDA backend of the RHI.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define RHI_VERIFY(expr)                                                                    \
    do {                                                                                    \
        const cudaError_t rhiErr_ = (expr);                                                 \
        if (rhiErr_ != cudaSuccess) {                                                       \
            std::fprintf(stderr, "[RHI] %s failed: %s (%s:%d)\n", #expr,                    \
                         cudaGetErrorString(rhiErr_), __FILE__, __LINE__);                  \
            std::abort();                                                                   \
        }                                                                                   \
    } while (0)

struct TonemapSettings {
    float exposure = 1.0f;
    float saturation = 1.0f;
};

__global__ void TonemapCS(const float* hdr, float* ldr, uint32_t count, float exposure)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float c = hdr[i] * exposure;
    ldr[i] = c / (1.0f + c);
}

namespace rhi {

class ICommandList {
public:
    virtual ~ICommandList() = default;
    virtual void Open() = 0;
    virtual void SetPipeline(const void* entryPoint) = 0;
    virtual void SetRootParameter(uint32_t slot, void* location) = 0;
    virtual void Dispatch(uint32_t groups, uint32_t groupSize) = 0;
    virtual void Close() = 0;
    virtual void Submit() = 0;
};

class CudaCommandList final : public ICommandList {
public:
    explicit CudaCommandList(cudaStream_t queue) : m_queue(queue) {}
    ~CudaCommandList() override
    {
        if (m_exec) RHI_VERIFY(cudaGraphExecDestroy(m_exec));
    }
    CudaCommandList(const CudaCommandList&) = delete;
    CudaCommandList& operator=(const CudaCommandList&) = delete;

    void Open() override { RHI_VERIFY(cudaStreamBeginCapture(m_queue, cudaStreamCaptureModeThreadLocal)); }
    void SetPipeline(const void* entryPoint) override { m_pipeline = entryPoint; }
    void SetRootParameter(uint32_t slot, void* location) override { m_root[slot] = location; }

    void Dispatch(uint32_t groups, uint32_t groupSize) override
    {
        RHI_VERIFY(cudaLaunchKernel(m_pipeline, dim3(groups), dim3(groupSize), m_root.data(), 0, m_queue)); // HAZARD frozen #1
    }

    void Close() override
    {
        cudaGraph_t graph = nullptr;
        RHI_VERIFY(cudaStreamEndCapture(m_queue, &graph));
        RHI_VERIFY(cudaGraphInstantiate(&m_exec, graph, 0));
        RHI_VERIFY(cudaGraphDestroy(graph));
    }

    void Submit() override { RHI_VERIFY(cudaGraphLaunch(m_exec, m_queue)); }

private:
    cudaStream_t m_queue = nullptr;
    cudaGraphExec_t m_exec = nullptr;
    const void* m_pipeline = nullptr;
    std::array<void*, 8> m_root{};
};

} // namespace rhi

class TonemapPass {
public:
    TonemapPass(cudaStream_t queue, uint32_t pixels) : m_queue(queue), m_cmd(queue), m_pixels(pixels)
    {
        RHI_VERIFY(cudaMalloc(&m_hdr, pixels * sizeof(float)));
        RHI_VERIFY(cudaMalloc(&m_ldr, pixels * sizeof(float)));
        RHI_VERIFY(cudaMalloc(&m_constants, sizeof(TonemapSettings)));
        const std::vector<float> white(pixels, 0.5f);
        RHI_VERIFY(cudaMemcpyAsync(m_hdr, white.data(), pixels * sizeof(float), cudaMemcpyHostToDevice, queue));
        RHI_VERIFY(cudaStreamSynchronize(queue));
        Record(m_cmd);
    }
    ~TonemapPass()
    {
        RHI_VERIFY(cudaStreamSynchronize(m_queue));
        RHI_VERIFY(cudaFree(m_hdr));
        RHI_VERIFY(cudaFree(m_ldr));
        RHI_VERIFY(cudaFree(m_constants));
    }
    TonemapPass(const TonemapPass&) = delete;
    TonemapPass& operator=(const TonemapPass&) = delete;

    void OnSettingsFileChanged(const char* key, float value)
    {
        if (std::strcmp(key, "exposure") == 0) m_settings.exposure = value;
        if (std::strcmp(key, "saturation") == 0) m_settings.saturation = value;
    }

    void Execute()
    {
        RHI_VERIFY(cudaMemcpyAsync(m_constants, &m_settings, sizeof(m_settings), cudaMemcpyHostToDevice, m_queue));
        m_cmd.Submit();
    }

    float ReadPixel(uint32_t i) const
    {
        float v = 0.0f;
        RHI_VERIFY(cudaMemcpyAsync(&v, m_ldr + i, sizeof(v), cudaMemcpyDeviceToHost, m_queue));
        RHI_VERIFY(cudaStreamSynchronize(m_queue));
        return v;
    }

private:
    void Record(rhi::ICommandList& cmd)
    {
        cmd.Open();
        cmd.SetPipeline(reinterpret_cast<const void*>(&TonemapCS));
        cmd.SetRootParameter(0, &m_hdr);
        cmd.SetRootParameter(1, &m_ldr);
        cmd.SetRootParameter(2, &m_pixels);
        cmd.SetRootParameter(3, &m_settings.exposure); // HAZARD frozen #1
        cmd.Dispatch((m_pixels + 127) / 128, 128);
        cmd.Close();
    }

    cudaStream_t m_queue;
    rhi::CudaCommandList m_cmd;
    uint32_t m_pixels;
    float* m_hdr = nullptr;
    float* m_ldr = nullptr;
    TonemapSettings* m_constants = nullptr;
    TonemapSettings m_settings;
};

int main()
{
    cudaStream_t queue = nullptr;
    RHI_VERIFY(cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking));
    bool right = true;
    {
        TonemapPass pass(queue, 1000);
        const float exposures[] = {1.0f, 2.0f, 6.0f};
        for (float e : exposures) {
            pass.OnSettingsFileChanged("exposure", e);
            pass.Execute();
            const float c = 0.5f * e;
            right = right && std::fabs(pass.ReadPixel(999) - c / (1.0f + c)) < 1e-5f;
        }
    }
    RHI_VERIFY(cudaStreamDestroy(queue));
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
