#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace render {

#define RHI_CHECK(call)                                                                        \
    do {                                                                                       \
        cudaError_t rhiResult = (call);                                                        \
        if (rhiResult != cudaSuccess) render::Fatal(#call, cudaGetErrorString(rhiResult));     \
    } while (0)

[[noreturn]] static void Fatal(const char* call, const char* message) {
    std::fprintf(stderr, "RHI: %s: %s\n", call, message);
    std::printf("LABEL REFUTED\n");
    std::exit(0);
}

constexpr uint32_t kWidth = 128;
constexpr uint32_t kHeight = 64;
constexpr uint32_t kPixels = kWidth * kHeight;

__global__ void TemporalBlend(const float* color, const float* history, float* resolved) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    resolved[i] = 0.5f * history[i] + 0.5f * color[i];
}

__global__ void ShadeScene(float* color) { color[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }

class RenderTarget {
public:
    void Create() {
        RHI_CHECK(cudaMalloc(&m_pixels, kPixels * sizeof(float)));
        RHI_CHECK(cudaMemset(m_pixels, 0, kPixels * sizeof(float)));
    }
    void Release() {
        RHI_CHECK(cudaFree(m_pixels));
        m_pixels = nullptr;
    }
    float* Pixels() const { return m_pixels; }

private:
    float* m_pixels = nullptr;
};

class TemporalAA {
public:
    void Create() {
        for (RenderTarget& target : m_history) target.Create();
    }
    void Release() {
        for (RenderTarget& target : m_history) target.Release();
    }

    void Resolve(const RenderTarget& scene, uint32_t write, cudaStream_t stream) const {
        const uint32_t read = write ^ 1u;
        TemporalBlend<<<kPixels / 256, 256, 0, stream>>>(
            scene.Pixels(), m_history[read].Pixels(), m_history[write].Pixels());
        RHI_CHECK(cudaGetLastError());
    }

    uint32_t WriteIndex() const { return m_parity; }
    void Flip() { m_parity ^= 1u; }

    const RenderTarget& Latest() const { return m_history[m_parity ^ 1u]; }

private:
    RenderTarget m_history[2];
    uint32_t m_parity = 0;
};

class FrameRenderer {
public:
    void Create() {
        RHI_CHECK(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking));
        m_scene.Create();
        m_taa.Create();
        RHI_CHECK(cudaDeviceSynchronize());
    }

    void Release() {
        for (cudaGraphExec_t frame : m_frames)
            if (frame) RHI_CHECK(cudaGraphExecDestroy(frame));
        m_taa.Release();
        m_scene.Release();
        RHI_CHECK(cudaStreamDestroy(m_stream));
    }

    void Render() {
        const uint32_t slot = m_taa.WriteIndex();
        if (!m_frames[slot]) m_frames[slot] = CompileFrame(slot);
        RHI_CHECK(cudaGraphLaunch(m_frames[slot], m_stream));
        m_taa.Flip();
    }

    float ReadPixel(uint32_t index) {
        float value = 0.0f;
        RHI_CHECK(cudaMemcpyAsync(&value, m_taa.Latest().Pixels() + index, sizeof(float), cudaMemcpyDeviceToHost, m_stream));
        RHI_CHECK(cudaStreamSynchronize(m_stream));
        return value;
    }

private:
    class CaptureScope {
    public:
        explicit CaptureScope(cudaStream_t stream) : m_stream(stream) {
            RHI_CHECK(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal));
        }
        cudaGraphExec_t Finish() {
            cudaGraph_t graph = nullptr;
            cudaGraphExec_t exec = nullptr;
            RHI_CHECK(cudaStreamEndCapture(m_stream, &graph));
            RHI_CHECK(cudaGraphInstantiate(&exec, graph, 0));
            RHI_CHECK(cudaGraphDestroy(graph));
            return exec;
        }

    private:
        cudaStream_t m_stream;
    };

    cudaGraphExec_t CompileFrame(uint32_t slot) {
        CaptureScope scope(m_stream);
        ShadeScene<<<kPixels / 256, 256, 0, m_stream>>>(m_scene.Pixels());
        RHI_CHECK(cudaGetLastError());
        m_taa.Resolve(m_scene, slot, m_stream);
        return scope.Finish();
    }

    cudaStream_t m_stream = nullptr;
    RenderTarget m_scene;
    TemporalAA m_taa;
    cudaGraphExec_t m_frames[2] = {nullptr, nullptr};
};

}  // namespace render

int main() {
    render::FrameRenderer renderer;
    renderer.Create();

    bool converges = true;
    float want = 0.0f;
    for (int frame = 0; frame < 6; ++frame) {
        renderer.Render();
        want = 0.5f * want + 0.5f;
        const float got = renderer.ReadPixel(render::kPixels - 1);
        std::printf("frame %d: %f (expected %f)\n", frame, got, want);
        converges = converges && std::fabs(got - want) < 1e-5f;
    }
    renderer.Release();
    std::printf(converges ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
