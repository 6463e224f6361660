// Deferred frame compositor on top of a small render graph with a graphics queue and an async-compute queue.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ember {

inline void verify(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
    }
}

struct FrameConstants {
    float cameraDistance;
    float exposure;
    float sunIntensity;
};

constexpr int kWidth = 192;
constexpr int kHeight = 64;
constexpr int kPixels = kWidth * kHeight;
constexpr long long kOcclusionBudget = 24000000;  // cycles the progressive resolve may use

__global__ void depthPrepass(float* depth, const FrameConstants* fc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) depth[i] = fc->cameraDistance + 0.01f * static_cast<float>(i % kWidth);
}

__global__ void occlusionTrace(const float* depth, float* ao) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) ao[i] = 1.0f / (1.0f + depth[i]);
}

// Refines the occlusion term while the time budget lasts, then writes the contrast-adjusted value.
__global__ void occlusionResolve(float* ao, long long budget) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long start = clock64();
    while (clock64() - start < budget) {
    }
    if (i < kPixels) ao[i] = 0.25f + 0.5f * ao[i];
}

__global__ void lighting(const float* depth, float* lit, const FrameConstants* fc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) lit[i] = fc->sunIntensity * depth[i];
}

__global__ void composite(const float* lit, const float* ao, float* target, const FrameConstants* fc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) target[i] = fc->exposure * lit[i] * ao[i];
}

enum class Queue { Graphics, AsyncCompute };
using TextureId = std::size_t;

class TexturePool {
public:
    TextureId create() {
        float* memory = nullptr;
        verify(cudaMalloc(&memory, kPixels * sizeof(float)), "texture");
        verify(cudaMemset(memory, 0, kPixels * sizeof(float)), "texture clear");
        textures_.push_back(memory);
        return textures_.size() - 1;
    }
    float* operator[](TextureId id) const { return textures_.at(id); }
    ~TexturePool() {
        for (float* t : textures_) cudaFree(t);
    }

private:
    std::vector<float*> textures_;
};

struct Pass {
    std::string name;
    Queue queue;
    std::vector<TextureId> reads;
    std::vector<TextureId> writes;
    std::function<void(cudaStream_t)> record;
    cudaEvent_t done = nullptr;

    bool produces(TextureId id) const {
        for (TextureId w : writes)
            if (w == id) return true;
        return false;
    }
};

class RenderGraph {
public:
    RenderGraph() {
        verify(cudaStreamCreateWithFlags(&graphics_, cudaStreamNonBlocking), "graphics queue");
        verify(cudaStreamCreateWithFlags(&async_, cudaStreamNonBlocking), "async queue");
    }
    ~RenderGraph() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
        for (Pass& p : passes_) cudaEventDestroy(p.done);
        cudaStreamDestroy(async_);
        cudaStreamDestroy(graphics_);
    }

    void addPass(Pass pass) {
        verify(cudaEventCreateWithFlags(&pass.done, cudaEventDisableTiming), "pass event");
        passes_.push_back(std::move(pass));
    }

    void bake() {
        verify(cudaStreamBeginCapture(graphics_, cudaStreamCaptureModeThreadLocal), "begin");
        try {
            recordPasses();
        } catch (...) {
            cudaGraph_t partial = nullptr;
            cudaStreamEndCapture(graphics_, &partial);
            if (partial) cudaGraphDestroy(partial);
            throw;
        }
        verify(cudaStreamEndCapture(graphics_, &graph_), "end");
        verify(cudaGraphInstantiate(&exec_, graph_, 0), "instantiate");
    }

    void submit() { verify(cudaGraphLaunch(exec_, graphics_), "submit"); }
    void waitIdle() { verify(cudaStreamSynchronize(graphics_), "idle"); }
    cudaStream_t graphicsStream() const { return graphics_; }

private:
    void recordPasses() {
        const Pass* lastAsync = nullptr;
        for (std::size_t i = 0; i < passes_.size(); ++i) {
            Pass& pass = passes_[i];
            cudaStream_t stream = streamOf(pass.queue);
            for (TextureId id : pass.reads) {
                const Pass* producer = producerOf(id, i);
                if (producer && producer->queue != pass.queue) {
                    verify(cudaStreamWaitEvent(stream, producer->done, 0), "barrier");
                }
            }
            pass.record(stream);
            verify(cudaGetLastError(), pass.name.c_str());
            verify(cudaEventRecord(pass.done, stream), "signal");
            if (pass.queue == Queue::AsyncCompute) lastAsync = &pass;
        }
        if (lastAsync) verify(cudaStreamWaitEvent(graphics_, lastAsync->done, 0), "frame join");
    }

    cudaStream_t streamOf(Queue q) const { return q == Queue::Graphics ? graphics_ : async_; }

    // The pass whose output a reader at position `reader` consumes.
    const Pass* producerOf(TextureId id, std::size_t reader) const {
        for (std::size_t p = reader; p-- > 0;)
            if (passes_[p].produces(id)) return &passes_[p];
        return nullptr;
    }

    cudaStream_t graphics_ = nullptr;
    cudaStream_t async_ = nullptr;
    std::vector<Pass> passes_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

class Compositor {
public:
    Compositor() {
        verify(cudaMalloc(&constants_, sizeof(FrameConstants)), "constants");
        verify(cudaMallocHost(&staging_, sizeof(FrameConstants)), "staging");
        depth_ = pool_.create();
        ao_ = pool_.create();
        lit_ = pool_.create();
        target_ = pool_.create();
        declarePasses();
        verify(cudaDeviceSynchronize(), "setup");
        graph_.bake();
    }
    ~Compositor() {
        cudaFreeHost(staging_);
        cudaFree(constants_);
    }

    std::vector<float> renderFrame(const FrameConstants& fc) {
        *staging_ = fc;
        verify(cudaMemcpyAsync(constants_, staging_, sizeof fc, cudaMemcpyHostToDevice, graph_.graphicsStream()),
               "upload");
        graph_.submit();
        graph_.waitIdle();
        std::vector<float> image(kPixels);
        verify(cudaMemcpy(image.data(), pool_[target_], kPixels * sizeof(float), cudaMemcpyDeviceToHost), "readback");
        return image;
    }

private:
    void declarePasses() {
        const int block = 128, grid = (kPixels + block - 1) / block;
        graph_.addPass({"depth", Queue::Graphics, {}, {depth_}, [=](cudaStream_t s) {
                            depthPrepass<<<grid, block, 0, s>>>(pool_[depth_], constants_);
                        }});
        graph_.addPass({"ao.trace", Queue::AsyncCompute, {depth_}, {ao_}, [=](cudaStream_t s) {
                            occlusionTrace<<<grid, block, 0, s>>>(pool_[depth_], pool_[ao_]);
                        }});
        graph_.addPass({"ao.resolve", Queue::AsyncCompute, {ao_}, {ao_}, [=](cudaStream_t s) {
                            occlusionResolve<<<grid, block, 0, s>>>(pool_[ao_], kOcclusionBudget);
                        }});
        graph_.addPass({"lighting", Queue::Graphics, {depth_}, {lit_}, [=](cudaStream_t s) {
                            lighting<<<grid, block, 0, s>>>(pool_[depth_], pool_[lit_], constants_);
                        }});
        graph_.addPass({"composite", Queue::Graphics, {lit_, ao_}, {target_}, [=](cudaStream_t s) {
                            composite<<<grid, block, 0, s>>>(pool_[lit_], pool_[ao_], pool_[target_], constants_);
                        }});
    }

    TexturePool pool_;
    RenderGraph graph_;
    FrameConstants* constants_ = nullptr;
    FrameConstants* staging_ = nullptr;
    TextureId depth_ = 0, ao_ = 0, lit_ = 0, target_ = 0;
};

float expectedPixel(int i, const FrameConstants& fc) {
    float depth = fc.cameraDistance + 0.01f * static_cast<float>(i % kWidth);
    float ao = 0.25f + 0.5f / (1.0f + depth);
    return fc.exposure * fc.sunIntensity * depth * ao;
}

}  // namespace ember

int main() {
    int wrongFrames = 0;
    try {
        ember::Compositor compositor;
        for (int frame = 0; frame < 5; ++frame) {
            ember::FrameConstants fc{2.0f + frame, 1.0f + 0.1f * frame, 3.0f - 0.2f * frame};
            std::vector<float> image = compositor.renderFrame(fc);
            int badPixels = 0;
            for (int i = 0; i < ember::kPixels; ++i) {
                float want = ember::expectedPixel(i, fc);
                if (std::fabs(image[i] - want) > 1e-4f * std::fabs(want)) ++badPixels;
            }
            std::printf("frame %d: %d pixels differ\n", frame, badPixels);
            if (badPixels) ++wrongFrames;
        }
    } catch (const std::exception& e) {
        std::printf("error: %s\nLABEL WRONG\n", e.what());
        return 1;
    }
    bool confirmed = wrongFrames == 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
