// Map tile renderer: every open layer owns a small graph that uploads its uniforms and shades its tile.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>

#define CU(x)                                                                             \
    do {                                                                                  \
        cudaError_t r_ = (x);                                                             \
        if (r_ != cudaSuccess) {                                                          \
            std::printf("LABEL NOT CONFIRMED: %s: %s\n", #x, cudaGetErrorString(r_));     \
            std::exit(1);                                                                 \
        }                                                                                 \
    } while (0)

namespace tiles {

constexpr int kSide = 64;
constexpr int kPixels = kSide * kSide;

struct Uniforms {
    float opacity;
    float tint[3];
    int zoom;
    int pad[3];
};

__global__ void shade(const Uniforms* u, float* pixels)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < kPixels) pixels[p] = u->opacity * (u->tint[0] + u->tint[1] + u->tint[2]) + u->zoom;
}

struct Layer {
    Uniforms uniforms{};
    Uniforms* deviceUniforms = nullptr;
    float* pixels = nullptr;
    cudaGraphExec_t exec = nullptr;
};

class Renderer {
public:
    Renderer() { CU(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;
    ~Renderer()
    {
        CU(cudaStreamSynchronize(stream_));
        for (Layer& l : layers_) {
            CU(cudaGraphExecDestroy(l.exec));
            CU(cudaFree(l.deviceUniforms));
            CU(cudaFree(l.pixels));
        }
        CU(cudaStreamDestroy(stream_));
    }

    std::size_t openLayer(const Uniforms& initial)
    {
        layers_.emplace_back();
        Layer& layer = layers_.back();
        layer.uniforms = initial;
        CU(cudaMalloc(&layer.deviceUniforms, sizeof(Uniforms)));
        CU(cudaMalloc(&layer.pixels, kPixels * sizeof(float)));
        record(layer);
        return layers_.size() - 1;
    }

    Uniforms& uniforms(std::size_t id) { return layers_[id].uniforms; }

    void drawAll()
    {
        for (const Layer& l : layers_) CU(cudaGraphLaunch(l.exec, stream_));
        CU(cudaStreamSynchronize(stream_));
    }

    float pixel(std::size_t id, int index) const
    {
        float v = -1.0f;
        CU(cudaMemcpyAsync(&v, layers_[id].pixels + index, sizeof v, cudaMemcpyDeviceToHost, stream_));
        CU(cudaStreamSynchronize(stream_));
        return v;
    }

private:
    void record(Layer& layer)
    {
        cudaGraph_t graph = nullptr;
        CU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        CU(cudaMemcpyAsync(layer.deviceUniforms, &layer.uniforms, sizeof(Uniforms), cudaMemcpyHostToDevice, stream_));
        shade<<<kPixels / 256, 256, 0, stream_>>>(layer.deviceUniforms, layer.pixels);
        CU(cudaGetLastError());
        CU(cudaStreamEndCapture(stream_, &graph));
        CU(cudaGraphInstantiate(&layer.exec, graph, 0));
        CU(cudaGraphDestroy(graph));
    }

    cudaStream_t stream_ = nullptr;
    std::deque<Layer> layers_;
};

float reference(const Uniforms& u) { return u.opacity * (u.tint[0] + u.tint[1] + u.tint[2]) + u.zoom; }

} // namespace tiles

int main()
{
    using tiles::Uniforms;
    tiles::Renderer renderer;
    const auto close = [&](std::size_t id) {
        return std::fabs(renderer.pixel(id, 777) - tiles::reference(renderer.uniforms(id))) < 1e-3f;
    };

    const std::size_t base = renderer.openLayer(Uniforms{1.0f, {0.5f, 0.25f, 0.25f}, 3, {}});
    renderer.drawAll();
    bool ok = close(base);
    renderer.uniforms(base).opacity = 0.5f; // fade the base map
    renderer.drawAll();
    ok = ok && close(base);
    if (!ok) {
        std::puts("LABEL NOT CONFIRMED: a single layer is already wrong");
        return 1;
    }

    const std::size_t traffic = renderer.openLayer(Uniforms{0.75f, {1.0f, 0.0f, 0.0f}, 5, {}});
    const std::size_t labels = renderer.openLayer(Uniforms{0.25f, {0.0f, 1.0f, 0.0f}, 7, {}});
    renderer.uniforms(base).zoom = 40;
    renderer.uniforms(base).opacity = 2.0f;
    renderer.drawAll();
    const bool baseFollows = close(base);
    const bool newest = close(labels) && close(traffic);
    if (baseFollows && newest) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: base follows its uniforms %d, newest layers right %d\n", baseFollows, newest);
    return 1;
}
