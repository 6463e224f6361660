// Terrain streaming: height tiles live in a page pool that is compacted when tiles are unloaded.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace terrain {

#define TERRAIN_CHECK(call)                                                                     \
    do {                                                                                        \
        const cudaError_t rc = (call);                                                          \
        if (rc != cudaSuccess) {                                                                \
            std::fprintf(stderr, "terrain: %s -> %s\n", #call, cudaGetErrorName(rc));           \
            ++g_failures;                                                                       \
        }                                                                                       \
    } while (0)

static int g_failures = 0;

constexpr int kPageTexels = 4096;
constexpr int kPages = 8;

struct TileHandle {
    int slot = -1;
};

// A slab cut in equal pages. Handles stay valid over compaction, addresses do not.
class PagePool {
public:
    PagePool() {
        TERRAIN_CHECK(cudaMalloc(&slab_, sizeof(float) * kPageTexels * kPages));
        TERRAIN_CHECK(cudaMemset(slab_, 0, sizeof(float) * kPageTexels * kPages));
    }
    ~PagePool() { cudaFree(slab_); }
    PagePool(const PagePool&) = delete;
    PagePool& operator=(const PagePool&) = delete;

    TileHandle acquire() {
        TileHandle h;
        if (used_ == kPages) return h;
        pageOfSlot_.push_back(used_++);
        h.slot = static_cast<int>(pageOfSlot_.size()) - 1;
        return h;
    }
    void release(TileHandle h) {
        holes_.push_back(pageOfSlot_[h.slot]);
        pageOfSlot_[h.slot] = -1;
    }
    float* address(TileHandle h) const { return slab_ + static_cast<size_t>(pageOfSlot_[h.slot]) * kPageTexels; }

    // Moves the pages at the end of the slab into the holes so that the tail can be handed out again.
    void compact(cudaStream_t stream) {
        std::sort(holes_.begin(), holes_.end(), std::greater<int>());
        for (int hole : holes_) {
            const int last = --used_;
            if (hole == last) continue;
            for (int& page : pageOfSlot_) {
                if (page != last) continue;
                TERRAIN_CHECK(cudaMemcpyAsync(slab_ + static_cast<size_t>(hole) * kPageTexels,
                                              slab_ + static_cast<size_t>(last) * kPageTexels,
                                              sizeof(float) * kPageTexels, cudaMemcpyDeviceToDevice, stream));
                page = hole;
                ++moves_;
            }
        }
        holes_.clear();
        TERRAIN_CHECK(cudaStreamSynchronize(stream));
    }
    int moves() const { return moves_; }

private:
    float* slab_ = nullptr;
    int used_ = 0;
    int moves_ = 0;
    std::vector<int> pageOfSlot_;
    std::vector<int> holes_;
};

__global__ void depositSediment(float* height, float amount, int texels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < texels) height[i] += amount;
}

__global__ void thermalClamp(float* height, float ceiling, int texels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < texels && height[i] > ceiling) height[i] = ceiling;
}

class ErosionSystem {
public:
    ErosionSystem(PagePool& pool, cudaStream_t stream) : pool_(pool), stream_(stream) {}
    ~ErosionSystem() { discard(); }

    void attach(TileHandle tile) {
        tile_ = tile;
        record();
    }
    void step() {
        TERRAIN_CHECK(cudaGraphLaunch(exec_, stream_));
    }

private:
    void discard() {
        if (exec_) TERRAIN_CHECK(cudaGraphExecDestroy(exec_));
        exec_ = nullptr;
    }
    void record() {
        discard();
        float* height = pool_.address(tile_);
        const int blocks = kPageTexels / 256;
        cudaGraph_t graph = nullptr;
        TERRAIN_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        depositSediment<<<blocks, 256, 0, stream_>>>(height, 2.0f, kPageTexels);  // HAZARD dangling #page
        TERRAIN_CHECK(cudaGetLastError());
        thermalClamp<<<blocks, 256, 0, stream_>>>(height, 500.0f, kPageTexels);  // HAZARD dangling #page
        TERRAIN_CHECK(cudaGetLastError());
        TERRAIN_CHECK(cudaStreamEndCapture(stream_, &graph));
        TERRAIN_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        TERRAIN_CHECK(cudaGraphDestroy(graph));
    }

    PagePool& pool_;
    cudaStream_t stream_;
    TileHandle tile_;
    cudaGraphExec_t exec_ = nullptr;
};

static void paint(PagePool& pool, TileHandle h, float value, cudaStream_t stream) {
    TERRAIN_CHECK(cudaMemsetAsync(pool.address(h), 0, sizeof(float) * kPageTexels, stream));
    depositSediment<<<kPageTexels / 256, 256, 0, stream>>>(pool.address(h), value, kPageTexels);
    TERRAIN_CHECK(cudaGetLastError());
    TERRAIN_CHECK(cudaStreamSynchronize(stream));
}

static bool tileEquals(const PagePool& pool, TileHandle h, float value, cudaStream_t stream) {
    std::vector<float> texels(kPageTexels, -1.0f);
    TERRAIN_CHECK(cudaStreamSynchronize(stream));
    TERRAIN_CHECK(cudaMemcpy(texels.data(), pool.address(h), sizeof(float) * kPageTexels, cudaMemcpyDeviceToHost));
    for (float t : texels) {
        if (t != value) return false;
    }
    return true;
}

}  // namespace terrain

int main() {
    using namespace terrain;
    cudaStream_t stream = nullptr;
    TERRAIN_CHECK(cudaStreamCreate(&stream));
    bool before = false, after = true;
    {
        PagePool pool;
        const TileHandle valley = pool.acquire();
        const TileHandle ridge = pool.acquire();
        const TileHandle river = pool.acquire();
        paint(pool, valley, 10.0f, stream);
        paint(pool, ridge, 20.0f, stream);
        paint(pool, river, 30.0f, stream);

        ErosionSystem erosion(pool, stream);
        erosion.attach(river);
        erosion.step();
        erosion.step();
        before = tileEquals(pool, river, 34.0f, stream);

        // The player left the valley: unload it and give the tail of the slab to a new tile.
        pool.release(valley);
        pool.compact(stream);  // HAZARD dangling #page
        const TileHandle lake = pool.acquire();
        paint(pool, lake, 70.0f, stream);

        for (int i = 1; i <= 3; ++i) {
            erosion.step();
            after = after && tileEquals(pool, river, 34.0f + 2.0f * i, stream);
            after = after && tileEquals(pool, lake, 70.0f, stream);
            after = after && tileEquals(pool, ridge, 20.0f, stream);
        }
    }
    TERRAIN_CHECK(cudaStreamDestroy(stream));
    std::printf("failures %d before %d after %d\n", g_failures, before, after);
    std::puts(g_failures == 0 && before && !after ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
