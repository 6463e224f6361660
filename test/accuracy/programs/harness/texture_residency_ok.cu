// Texture residency: fixed device slots, least recently used eviction, one shading graph.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

namespace engine {

constexpr int kTexels = 256;
constexpr int kSlots = 3;

bool ok(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return true;
    std::fprintf(stderr, "[gpu] %s failed: %s\n", what, cudaGetErrorName(e));
    return false;
}

__global__ void addLayer(const float* tex, float* target, float weight) {
    int i = threadIdx.x;
    target[i] += weight * tex[i];
}

class TextureManager {
public:
    TextureManager() {
        ok(cudaMalloc(&memory_, sizeof(float) * kTexels * kSlots), "texture slots");
        for (int s = kSlots - 1; s >= 0; --s) free_.push_back(s);
    }
    ~TextureManager() { cudaFree(memory_); }

    void streamIn(const std::string& name, float value, uint64_t frame) {
        if (free_.empty()) evictOldest();
        Entry e;
        e.slot = free_.back();
        free_.pop_back();
        e.lastUsed = frame;
        std::vector<float> texels(kTexels, value);
        ok(cudaMemcpy(memory_ + e.slot * kTexels, texels.data(), kTexels * sizeof(float),
                      cudaMemcpyHostToDevice), "texture upload");
        entries_[name] = e;
        ++layout_;
    }
    void touch(const std::string& name, uint64_t frame) {
        auto it = entries_.find(name);
        if (it != entries_.end()) it->second.lastUsed = frame;
    }
    uint64_t layout() const { return layout_; }
    bool resident(const std::string& name) const { return entries_.count(name) != 0; }
    const float* data(const std::string& name) const {
        return memory_ + entries_.at(name).slot * kTexels;
    }

private:
    struct Entry {
        int slot = -1;
        uint64_t lastUsed = 0;
    };
    void evictOldest() {
        auto victim = entries_.begin();
        for (auto it = entries_.begin(); it != entries_.end(); ++it)
            if (it->second.lastUsed < victim->second.lastUsed) victim = it;
        free_.push_back(victim->second.slot);
        entries_.erase(victim);
    }
    float* memory_ = nullptr;
    uint64_t layout_ = 0;
    std::vector<int> free_;
    std::unordered_map<std::string, Entry> entries_;
};

class TerrainView {
public:
    explicit TerrainView(TextureManager& textures) : textures_(textures) {
        ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        ok(cudaMalloc(&target_, kTexels * sizeof(float)), "target");
    }
    ~TerrainView() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(target_);
        cudaStreamDestroy(stream_);
    }
    bool draw(uint64_t frame) {
        for (const char* layer : layers_) {
            if (!textures_.resident(layer)) return false;
            textures_.touch(layer, frame);
        }
        if (exec_ && builtFor_ != textures_.layout()) {
            cudaGraphExecDestroy(exec_);
            exec_ = nullptr;
        }
        if (!exec_ && !rebuild()) return false;
        return ok(cudaGraphLaunch(exec_, stream_), "launch") && ok(cudaStreamSynchronize(stream_), "frame");
    }
    float sample() const {
        float v = -1;
        ok(cudaMemcpy(&v, target_, sizeof v, cudaMemcpyDeviceToHost), "sample");
        return v;
    }

private:
    bool rebuild() {
        builtFor_ = textures_.layout();
        cudaGraph_t graph = nullptr;
        if (!ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin")) return false;
        cudaMemsetAsync(target_, 0, kTexels * sizeof(float), stream_);
        float weight = 1.0f;
        for (const char* layer : layers_) {
            addLayer<<<1, kTexels, 0, stream_>>>(textures_.data(layer), target_, weight);
            weight *= 10.0f;
        }
        if (!ok(cudaStreamEndCapture(stream_, &graph), "end")) return false;
        const bool built = ok(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        cudaGraphDestroy(graph);
        return built;
    }

    TextureManager& textures_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* target_ = nullptr;
    uint64_t builtFor_ = 0;
    std::vector<const char*> layers_{"rock", "grass"};
};

}  // namespace engine

int main() {
    engine::TextureManager textures;
    textures.streamIn("rock", 1.0f, 0);
    textures.streamIn("grass", 2.0f, 1);
    textures.streamIn("splash", 5.0f, 3);
    engine::TerrainView view(textures);

    bool good = true;
    float first = 0, last = 0;
    for (uint64_t frame = 2; frame < 10; ++frame) {
        if (frame == 6) textures.streamIn("sky", 7.0f, frame);
        good = view.draw(frame) && good;
        if (frame == 2) first = view.sample();
        last = view.sample();
    }
    if (good && first == 21.0f && last == 21.0f && !textures.resident("splash"))
        std::printf("LABEL CONFIRMED\n");
    else
        std::printf("LABEL REFUTED good=%d first=%g last=%g\n", good, first, last);
    return 0;
}
