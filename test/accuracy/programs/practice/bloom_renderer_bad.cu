// Post-processing renderer: bloom and compositing over GPU surfaces owned by a resource manager. The frame is recorded
// into a CUDA graph; effects can be hot-reloaded by the artists while the game runs.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

namespace engine {

using SurfaceId = uint32_t;
constexpr SurfaceId kInvalid = 0;

constexpr int kWidth = 320;
constexpr int kHeight = 180;
constexpr int kPixels = kWidth * kHeight;

struct Log {
    static int& errors() { static int count = 0; return count; }
    static bool gpu(cudaError_t result, const char* what) {
        if (result == cudaSuccess) return true;
        std::fprintf(stderr, "[gpu] %s: %s\n", what, cudaGetErrorString(result));
        ++errors();
        return false;
    }
};

// Fixed-size slots carved out of one heap; slots are recycled in LIFO order.
class ResourceManager {
public:
    explicit ResourceManager(int slots) {
        Log::gpu(cudaMalloc(&heap_, size_t(slots) * kPixels * sizeof(float)), "surface heap");
        for (int i = slots - 1; i >= 0; --i) free_.push_back(i);
    }
    ~ResourceManager() { cudaFree(heap_); }
    ResourceManager(const ResourceManager&) = delete;
    ResourceManager& operator=(const ResourceManager&) = delete;

    SurfaceId create(const std::string& name) {
        assert(!free_.empty());
        const SurfaceId id = ++last_id_;
        surfaces_[id] = {name, free_.back()};
        free_.pop_back();
        return id;
    }
    void destroy(SurfaceId id) {
        auto it = surfaces_.find(id);
        if (it == surfaces_.end()) return;
        free_.push_back(it->second.slot);
        surfaces_.erase(it);
        ++generation_;
    }
    float* texels(SurfaceId id) const { return heap_ + size_t(surfaces_.at(id).slot) * kPixels; }
    uint64_t generation() const { return generation_; }

private:
    struct Surface {
        std::string name;
        int slot = 0;
    };
    float* heap_ = nullptr;
    std::vector<int> free_;
    std::unordered_map<SurfaceId, Surface> surfaces_;
    SurfaceId last_id_ = kInvalid;
    uint64_t generation_ = 0;
};

__global__ void bright_pass(const float* scene, float* bloom, float threshold) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) bloom[i] = scene[i] > threshold ? scene[i] - threshold : 0.0f;
}

__global__ void composite(const float* scene, const float* bloom, float* target) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) target[i] = scene[i] + 2.0f * bloom[i];
}

class Renderer {
public:
    explicit Renderer(ResourceManager& resources) : resources_(resources) {
        Log::gpu(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        scene_ = resources_.create("scene");
        backbuffer_ = resources_.create("backbuffer");
        bloom_ = resources_.create("bloom");
    }
    ~Renderer() {
        waitIdle();
        if (frame_) cudaGraphExecDestroy(frame_);
        cudaStreamDestroy(stream_);
    }

    void upload(SurfaceId id, const std::vector<float>& texels) {
        Log::gpu(cudaMemcpyAsync(resources_.texels(id), texels.data(), kPixels * sizeof(float), cudaMemcpyHostToDevice,
                                 stream_), "upload");
        waitIdle();
    }
    std::vector<float> readback(SurfaceId id) {
        std::vector<float> texels(kPixels);
        waitIdle();
        Log::gpu(cudaMemcpy(texels.data(), resources_.texels(id), kPixels * sizeof(float), cudaMemcpyDeviceToHost),
                 "readback");
        return texels;
    }

    // Drops the transient surfaces of the effect so that they get recreated with the new settings.
    void reloadEffects() {
        waitIdle();
        resources_.destroy(bloom_);  // HAZARD dangling #bloom
        bloom_ = kInvalid;
    }

    void drawFrame() {
        if (bloom_ == kInvalid) bloom_ = resources_.create("bloom");
        if (!frame_) record();
        Log::gpu(cudaGraphLaunch(frame_, stream_), "launch frame");
    }

    SurfaceId scene() const { return scene_; }
    SurfaceId backbuffer() const { return backbuffer_; }
    void waitIdle() { Log::gpu(cudaStreamSynchronize(stream_), "wait idle"); }

private:
    void record() {
        const int groups = (kPixels + 255) / 256;
        cudaGraph_t graph = nullptr;
        float* bloom = resources_.texels(bloom_);
        Log::gpu(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin frame");
        bright_pass<<<groups, 256, 0, stream_>>>(resources_.texels(scene_), bloom, kThreshold);  // HAZARD dangling #bloom
        composite<<<groups, 256, 0, stream_>>>(resources_.texels(scene_), bloom, resources_.texels(backbuffer_));
        Log::gpu(cudaStreamEndCapture(stream_, &graph), "end frame");
        Log::gpu(cudaGraphInstantiate(&frame_, graph, 0), "instantiate frame");
        Log::gpu(cudaGraphDestroy(graph), "destroy graph");
    }

    static constexpr float kThreshold = 0.75f;
    ResourceManager& resources_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t frame_ = nullptr;
    SurfaceId scene_ = kInvalid, backbuffer_ = kInvalid, bloom_ = kInvalid;
};

}  // namespace engine

int main() {
    int wrong = 0;
    {
        engine::ResourceManager resources(8);
        engine::Renderer renderer(resources);
        std::vector<float> scene(engine::kPixels), map(engine::kPixels);
        for (int i = 0; i < engine::kPixels; ++i) map[i] = 100.0f + float(i % 7);
        engine::SurfaceId minimap = engine::kInvalid;

        for (int frame = 0; frame < 6; ++frame) {
            for (int i = 0; i < engine::kPixels; ++i) scene[i] = float((i + 37 * frame) % 64) / 64.0f;
            renderer.upload(renderer.scene(), scene);
            if (frame == 3) {  // artist saves the bloom preset; the player opens the minimap
                renderer.reloadEffects();
                minimap = resources.create("minimap");
                renderer.upload(minimap, map);
            }
            renderer.drawFrame();

            const std::vector<float> image = renderer.readback(renderer.backbuffer());
            for (int i = 0; i < engine::kPixels; ++i) {
                const float glow = scene[i] > 0.75f ? scene[i] - 0.75f : 0.0f;
                if (image[i] != scene[i] + 2.0f * glow) { ++wrong; break; }
            }
            if (minimap != engine::kInvalid && renderer.readback(minimap) != map) {
                std::printf("frame %d: minimap damaged\n", frame);
                ++wrong;
            }
        }
    }
    std::printf("wrong surfaces: %d, gpu errors: %d\n", wrong, engine::Log::errors());
    std::puts(wrong > 0 || engine::Log::errors() > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
