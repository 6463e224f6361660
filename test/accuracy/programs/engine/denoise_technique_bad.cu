// Path tracer denoise stage: the filter is selected by a console variable.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define VERIFY_CUDA(x)                                                                        \
    do {                                                                                      \
        cudaError_t r = (x);                                                                  \
        if (r != cudaSuccess) {                                                               \
            std::fprintf(stderr, "%s(%d): %s\n", __FILE__, __LINE__, cudaGetErrorString(r));  \
            std::abort();                                                                     \
        }                                                                                     \
    } while (0)

class CVarSystem {
public:
    using Listener = std::function<void(int)>;
    static CVarSystem& Get()
    {
        static CVarSystem s;
        return s;
    }
    void Listen(const std::string& name, Listener fn) { m_listeners[name] = std::move(fn); }
    void Set(const std::string& name, int value)
    {
        m_values[name] = value;
        auto it = m_listeners.find(name);
        if (it != m_listeners.end()) it->second(value);
    }
    void Forget(const std::string& name) { m_listeners.erase(name); }

private:
    std::map<std::string, int> m_values;
    std::map<std::string, Listener> m_listeners;
};

__global__ void DemodulateCS(const float* radiance, float* work, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) work[i] = radiance[i] * 2.0f;
}

__global__ void BoxCS(const float* work, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int l = i > 0 ? i - 1 : i, r = i < n - 1 ? i + 1 : i;
    out[i] = (work[l] + work[i] + work[r]) / 3.0f;
}

__global__ void MedianCS(const float* work, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = work[i > 0 ? i - 1 : i], b = work[i], c = work[i < n - 1 ? i + 1 : i];
    out[i] = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

struct DenoiseContext {
    cudaStream_t queue;
    const float* work;
    float* out;
    int pixels;
};

class IDenoiser {
public:
    virtual ~IDenoiser() = default;
    virtual void Record(const DenoiseContext& ctx) const = 0;
};

class BoxDenoiser final : public IDenoiser {
    void Record(const DenoiseContext& ctx) const override
    {
        BoxCS<<<(ctx.pixels + 63) / 64, 64, 0, ctx.queue>>>(ctx.work, ctx.out, ctx.pixels);
        VERIFY_CUDA(cudaGetLastError());
    }
};

class MedianDenoiser final : public IDenoiser {
    void Record(const DenoiseContext& ctx) const override
    {
        MedianCS<<<(ctx.pixels + 63) / 64, 64, 0, ctx.queue>>>(ctx.work, ctx.out, ctx.pixels);
        VERIFY_CUDA(cudaGetLastError());
    }
};

class DenoiseStage {
public:
    explicit DenoiseStage(int pixels)
    {
        m_filters[0] = std::make_unique<BoxDenoiser>();
        m_filters[1] = std::make_unique<MedianDenoiser>();
        m_active = m_filters[0].get();
        VERIFY_CUDA(cudaStreamCreateWithFlags(&m_queue, cudaStreamNonBlocking));
        Resize(pixels);
        CVarSystem::Get().Listen("r.Denoiser", [this](int v) { OnDenoiserChanged(v); });
    }
    ~DenoiseStage()
    {
        CVarSystem::Get().Forget("r.Denoiser");
        Invalidate();
        ReleaseTargets();
        VERIFY_CUDA(cudaStreamDestroy(m_queue));
    }

    void Resize(int pixels)
    {
        Invalidate();
        ReleaseTargets();
        m_pixels = pixels;
        for (float** t : {&m_radiance, &m_work, &m_out}) VERIFY_CUDA(cudaMalloc(t, pixels * sizeof(float)));
    }

    std::vector<float> RenderFrame(const std::vector<float>& radiance)
    {
        VERIFY_CUDA(cudaMemcpyAsync(m_radiance, radiance.data(), m_pixels * sizeof(float), cudaMemcpyHostToDevice, m_queue));
        if (!m_frame) Record();
        VERIFY_CUDA(cudaGraphLaunch(m_frame, m_queue));
        std::vector<float> image(m_pixels);
        VERIFY_CUDA(cudaMemcpyAsync(image.data(), m_out, m_pixels * sizeof(float), cudaMemcpyDeviceToHost, m_queue));
        VERIFY_CUDA(cudaStreamSynchronize(m_queue));
        return image;
    }

private:
    void OnDenoiserChanged(int value)
    {
        if (value < 0 || value >= static_cast<int>(m_filters.size())) return;
        m_active = m_filters[value].get(); // HAZARD host_logic #1
    }

    void Record()
    {
        const DenoiseContext ctx{m_queue, m_work, m_out, m_pixels};
        VERIFY_CUDA(cudaStreamBeginCapture(m_queue, cudaStreamCaptureModeThreadLocal));
        DemodulateCS<<<(m_pixels + 63) / 64, 64, 0, m_queue>>>(m_radiance, m_work, m_pixels);
        VERIFY_CUDA(cudaGetLastError());
        m_active->Record(ctx); // HAZARD host_logic #1
        cudaGraph_t graph = nullptr;
        VERIFY_CUDA(cudaStreamEndCapture(m_queue, &graph));
        VERIFY_CUDA(cudaGraphInstantiate(&m_frame, graph, 0));
        VERIFY_CUDA(cudaGraphDestroy(graph));
    }

    void Invalidate()
    {
        VERIFY_CUDA(cudaStreamSynchronize(m_queue));
        if (m_frame) VERIFY_CUDA(cudaGraphExecDestroy(m_frame));
        m_frame = nullptr;
    }

    void ReleaseTargets()
    {
        for (float** t : {&m_radiance, &m_work, &m_out}) {
            VERIFY_CUDA(cudaFree(*t));
            *t = nullptr;
        }
    }

    std::array<std::unique_ptr<IDenoiser>, 2> m_filters;
    const IDenoiser* m_active = nullptr;
    cudaStream_t m_queue = nullptr;
    cudaGraphExec_t m_frame = nullptr;
    float* m_radiance = nullptr;
    float* m_work = nullptr;
    float* m_out = nullptr;
    int m_pixels = 0;
};

int main()
{
    std::vector<float> noisy(300, 1.0f);
    noisy[150] = 7.0f;
    bool box = true, median = true;
    {
        DenoiseStage stage(300);
        box = stage.RenderFrame(noisy)[150] == 6.0f && stage.RenderFrame(noisy)[150] == 6.0f;
        CVarSystem::Get().Set("r.Denoiser", 1);
        median = stage.RenderFrame(noisy)[150] == 2.0f && stage.RenderFrame(noisy)[150] == 2.0f;
    }
    std::puts(box && !median ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
