// Texture store with generational handles and a compositor that replays its draw as a CUDA graph.
// Artists may hot reload a texture while the editor runs; other systems allocate decals from the same store.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GPU_CHECK(call)                                                                     \
    do {                                                                                    \
        const cudaError_t err_ = (call);                                                    \
        if (err_ != cudaSuccess) {                                                          \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            std::exit(2);                                                                   \
        }                                                                                   \
    } while (0)

constexpr int kTexels = 4096;

struct TextureHandle {
    uint32_t index = 0;
    uint32_t generation = 0;
    bool operator==(const TextureHandle& o) const { return index == o.index && generation == o.generation; }
};

class TextureStore {
public:
    ~TextureStore() {
        collect();
        for (Slot& s : slots_)
            if (s.texels) GPU_CHECK(cudaFree(s.texels));
    }

    TextureHandle create(float value) {
        const std::vector<float> host(kTexels, value);
        uint32_t index;
        if (!freeSlots_.empty()) {
            index = freeSlots_.back();
            freeSlots_.pop_back();
        } else {
            index = static_cast<uint32_t>(slots_.size());
            slots_.push_back({});
        }
        Slot& s = slots_[index];
        GPU_CHECK(cudaMalloc(&s.texels, kTexels * sizeof(float)));
        GPU_CHECK(cudaMemcpy(s.texels, host.data(), kTexels * sizeof(float), cudaMemcpyHostToDevice));
        GPU_CHECK(cudaDeviceSynchronize());
        return {index, s.generation};
    }

    void destroy(TextureHandle h) {
        Slot& s = slots_[h.index];
        if (s.generation != h.generation) return;
        retired_.push_back(s.texels);  // recorded frames may still refer to it, see collect()
        s.texels = nullptr;
        ++s.generation;
        freeSlots_.push_back(h.index);
    }

    // To be called when every recorded frame has been re-recorded with the current bindings.
    void collect() {
        for (float* p : retired_) GPU_CHECK(cudaFree(p));
        retired_.clear();
    }

    const float* texels(TextureHandle h) const {
        const Slot& s = slots_[h.index];
        return s.generation == h.generation ? s.texels : nullptr;
    }

private:
    struct Slot {
        float* texels = nullptr;
        uint32_t generation = 1;
    };
    std::vector<Slot> slots_;
    std::vector<uint32_t> freeSlots_;
    std::vector<float*> retired_;
};

__global__ void composite(const float* albedo, const float* mask, float* target, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) target[i] = albedo[i] * mask[i];
}

class Compositor {
public:
    Compositor(const TextureStore& store, TextureHandle albedo, TextureHandle mask)
        : store_(store), albedo_(albedo), mask_(mask) {
        GPU_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        GPU_CHECK(cudaMalloc(&target_, kTexels * sizeof(float)));
        GPU_CHECK(cudaMallocHost(&readback_, kTexels * sizeof(float)));
    }
    ~Compositor() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFreeHost(readback_);
        cudaFree(target_);
        cudaStreamDestroy(stream_);
    }

    void bindAlbedo(TextureHandle h) {
        if (!(h == albedo_)) dirty_ = true;
        albedo_ = h;
    }

    // Returns the first error of the frame; the caller decides whether the device is lost.
    cudaError_t render() {
        if (!exec_ || dirty_) record();
        const cudaError_t err = cudaGraphLaunch(exec_, stream_);
        return err != cudaSuccess ? err : cudaStreamSynchronize(stream_);
    }

    bool shows(float value) const {
        for (int i = 0; i < kTexels; ++i)
            if (readback_[i] != value) return false;
        return true;
    }

private:
    void record() {
        if (exec_) {
            GPU_CHECK(cudaStreamSynchronize(stream_));
            GPU_CHECK(cudaGraphExecDestroy(exec_));
            exec_ = nullptr;
        }
        cudaGraph_t graph = nullptr;
        GPU_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        composite<<<(kTexels + 255) / 256, 256, 0, stream_>>>(store_.texels(albedo_), store_.texels(mask_), target_,
                                                              kTexels);
        GPU_CHECK(cudaGetLastError());
        GPU_CHECK(cudaMemcpyAsync(readback_, target_, kTexels * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        GPU_CHECK(cudaStreamEndCapture(stream_, &graph));
        GPU_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        GPU_CHECK(cudaGraphDestroy(graph));
        dirty_ = false;
    }

    const TextureStore& store_;
    TextureHandle albedo_, mask_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* target_ = nullptr;
    float* readback_ = nullptr;
    bool dirty_ = false;
};

int main() {
    TextureStore store;
    TextureHandle albedo = store.create(2.0f);
    const TextureHandle mask = store.create(3.0f);
    bool good = true;
    Compositor compositor(store, albedo, mask);
    for (int frame = 0; frame < 3; ++frame) good = compositor.render() == cudaSuccess && compositor.shows(6.0f) && good;

    // Hot reload: load the new version first, rebind, drop the old one. A decal is then streamed in.
    const TextureHandle reloaded = store.create(5.0f);
    compositor.bindAlbedo(reloaded);
    store.destroy(albedo);
    albedo = reloaded;
    const TextureHandle decal = store.create(9.0f);
    for (int frame = 0; frame < 3; ++frame) {
        const cudaError_t err = compositor.render();
        if (err != cudaSuccess) std::printf("frame %d: %s\n", frame, cudaGetErrorString(err));
        good = err == cudaSuccess && compositor.shows(15.0f) && good;
        store.collect();
    }
    store.destroy(decal);
    std::puts(good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
