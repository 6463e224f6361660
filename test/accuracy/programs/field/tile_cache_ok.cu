// Map viewer: tiles stream into the slots of a small cache, least recently used first out. The composition of the
// pinned overview is a captured graph.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <list>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace viewer {

constexpr int kTile = 256;

inline void verify(cudaError_t rc) {
    if (rc != cudaSuccess) throw std::runtime_error(cudaGetErrorString(rc));
}

__global__ void blendTiles(const float* base, const float* overlay, float* out, float alpha) {
    const int i = threadIdx.x;
    out[i] = (1.0f - alpha) * base[i] + alpha * overlay[i];
}

inline float texel(int tileId, int i) { return float(tileId) + 0.001f * float(i); }

class TileCache {
public:
    TileCache(int slots, cudaStream_t stream) : stream_(stream) {
        verify(cudaMalloc(&memory_, std::size_t(slots) * kTile * sizeof(float)));
        for (int s = 0; s < slots; ++s) free_.push_back(memory_ + std::size_t(s) * kTile);
    }
    TileCache(const TileCache&) = delete;
    TileCache& operator=(const TileCache&) = delete;
    ~TileCache() { cudaFree(memory_); }

    const float* acquire(int tileId) {
        const auto hit = entries_.find(tileId);
        if (hit != entries_.end()) {
            recent_.splice(recent_.begin(), recent_, hit->second.order);
            return hit->second.texels;
        }
        if (free_.empty()) evictOldest();
        float* slot = free_.back();
        free_.pop_back();
        load(tileId, slot);
        recent_.push_front(tileId);
        entries_[tileId] = Entry{slot, recent_.begin()};
        return slot;
    }

    const float* pin(int tileId) {
        const float* texels = acquire(tileId);
        ++entries_[tileId].pins;
        return texels;
    }
    void unpin(int tileId) { --entries_[tileId].pins; }

    bool resident(int tileId) const { return entries_.count(tileId) != 0; }

private:
    struct Entry {
        float* texels = nullptr;
        std::list<int>::iterator order;
        int pins = 0;
    };

    void evictOldest() {
        for (auto candidate = recent_.rbegin(); candidate != recent_.rend(); ++candidate) {
            const auto entry = entries_.find(*candidate);
            if (entry->second.pins > 0) continue;
            free_.push_back(entry->second.texels);
            recent_.erase(entry->second.order);
            entries_.erase(entry);
            return;
        }
        throw std::runtime_error("all tiles are pinned");
    }

    void load(int tileId, float* slot) {
        std::vector<float> texels(kTile);
        for (int i = 0; i < kTile; ++i) texels[i] = texel(tileId, i);
        verify(cudaMemcpyAsync(slot, texels.data(), kTile * sizeof(float), cudaMemcpyHostToDevice, stream_));
        verify(cudaStreamSynchronize(stream_));
    }

    cudaStream_t stream_;
    float* memory_ = nullptr;
    std::vector<float*> free_;
    std::list<int> recent_;
    std::unordered_map<int, Entry> entries_;
};

class Overview {
public:
    Overview(TileCache& cache, cudaStream_t stream, int baseTile, int overlayTile)
        : cache_(cache), stream_(stream), baseTile_(baseTile), overlayTile_(overlayTile) {
        verify(cudaMalloc(&out_, kTile * sizeof(float)));
        const float* base = cache.pin(baseTile);
        const float* overlay = cache.pin(overlayTile);
        cudaGraph_t graph = nullptr;
        verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        blendTiles<<<1, kTile, 0, stream_>>>(base, overlay, out_, 0.25f);
        verify(cudaStreamEndCapture(stream_, &graph));
        verify(cudaGraphInstantiate(&exec_, graph, 0));
        verify(cudaGraphDestroy(graph));
    }
    ~Overview() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cache_.unpin(baseTile_);
        cache_.unpin(overlayTile_);
        cudaFree(out_);
    }

    std::vector<float> draw() const {
        std::vector<float> pixels(kTile);
        verify(cudaGraphLaunch(exec_, stream_));
        verify(cudaMemcpyAsync(pixels.data(), out_, kTile * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        verify(cudaStreamSynchronize(stream_));
        return pixels;
    }

private:
    TileCache& cache_;
    cudaStream_t stream_;
    const int baseTile_, overlayTile_;
    float* out_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace viewer

static bool looksRight(const std::vector<float>& pixels, int base, int overlay) {
    for (int i = 0; i < viewer::kTile; ++i) {
        const float expected = 0.75f * viewer::texel(base, i) + 0.25f * viewer::texel(overlay, i);
        if (std::fabs(pixels[i] - expected) > 1e-3f) return false;
    }
    return true;
}

int main() {
    bool confirmed = false;
    try {
        cudaStream_t stream = nullptr;
        viewer::verify(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        {
            viewer::TileCache cache(4, stream);
            viewer::Overview overview(cache, stream, 10, 11);
            const bool before = looksRight(overview.draw(), 10, 11);
            for (int tile = 20; tile < 26; ++tile) cache.acquire(tile);
            const bool after = looksRight(overview.draw(), 10, 11);
            std::printf("overview right before panning: %d, after: %d; base tile resident: %d\n", before, after, cache.resident(10));
            confirmed = before && after && cache.resident(10) && cache.resident(11) && cache.resident(25);
        }
        cudaStreamDestroy(stream);
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL NOT CONFIRMED: the overview lost a tile");
    return confirmed ? 0 : 1;
}
