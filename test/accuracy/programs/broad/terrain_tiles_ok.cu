// Terrain streaming: a background task loads height tiles while the render thread rebuilds its level-of-detail graph.
#include <cuda_runtime.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace terrain {

void require(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(rc));
}

struct DeviceFree {
    void operator()(float* p) const { cudaFree(p); }
};
using Heights = std::unique_ptr<float[], DeviceFree>;

constexpr int kTile = 256 * 256;
constexpr int kLevels = 96;

Heights allocateHeights(int n) {
    float* p = nullptr;
    require(cudaMalloc(&p, n * sizeof(float)), "allocate");
    return Heights(p);
}

class Stream {
public:
    Stream() { require(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream"); }
    Stream(const Stream&) = delete;
    ~Stream() { cudaStreamDestroy(s_); }
    cudaStream_t get() const { return s_; }

private:
    cudaStream_t s_ = nullptr;
};

class TileLoader {
public:
    // Loads up to `count` tiles; gives up when the view closes.
    std::future<std::vector<Heights>> loadAsync(int count) {
        return std::async(std::launch::async, [this, count] {
            std::vector<Heights> tiles;
            const std::vector<float> source(kTile, 1.0f);
            for (int k = 0; k < count && !closing_; ++k) {
                tiles.push_back(allocateHeights(kTile));
                require(cudaMemcpyAsync(tiles.back().get(), source.data(), kTile * sizeof(float),
                                        cudaMemcpyHostToDevice, stream_.get()), "upload");
                require(cudaStreamSynchronize(stream_.get()), "upload");
            }
            return tiles;
        });
    }
    void close() { closing_ = true; }

private:
    Stream stream_;
    std::atomic<bool> closing_{false};
};

__global__ void coarsen(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1.0f;
}

using Exec = std::unique_ptr<CUgraphExec_st, decltype(&cudaGraphExecDestroy)>;

template <class Build>
Exec capture(cudaStream_t s, Build&& build, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    cudaGraph_t graph = nullptr;
    require(cudaStreamBeginCapture(s, mode), "begin");
    const cudaError_t built = std::forward<Build>(build)(s);
    const cudaError_t ended = cudaStreamEndCapture(s, &graph);
    std::unique_ptr<CUgraph_st, decltype(&cudaGraphDestroy)> hold(graph, &cudaGraphDestroy);
    require(ended, "end");
    require(built, "build");
    cudaGraphExec_t exec = nullptr;
    require(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    return Exec(exec, &cudaGraphExecDestroy);
}

class View {
public:
    View() : pyramid_(allocateHeights(2 * kTile)) {
        require(cudaMemset(pyramid_.get(), 0, 2 * kTile * sizeof(float)), "clear");
        require(cudaDeviceSynchronize(), "clear");
    }

    void rebuild() {
        auto levels = [this](cudaStream_t s) {
            float* a = pyramid_.get();
            float* b = a + kTile;
            for (int level = 0; level < kLevels; ++level) {
                coarsen<<<kTile / 256, 256, 0, s>>>(level % 2 ? b : a, level % 2 ? a : b, kTile);
            }
            return cudaGetLastError();
        };
        exec_ = capture(stream_.get(), levels, cudaStreamCaptureModeThreadLocal);
    }

    float draw() {
        require(cudaGraphLaunch(exec_.get(), stream_.get()), "draw");
        float corner = 0.0f;
        require(cudaMemcpyAsync(&corner, pyramid_.get(), sizeof corner, cudaMemcpyDeviceToHost, stream_.get()), "draw");
        require(cudaStreamSynchronize(stream_.get()), "draw");
        return corner;
    }

private:
    Stream stream_;
    Heights pyramid_;
    Exec exec_{nullptr, &cudaGraphExecDestroy};
};

}  // namespace terrain

int main() {
    int failures = 0, wrong = 0;
    try {
        terrain::View view;
        terrain::TileLoader loader;
        auto tiles = loader.loadAsync(3000);
        float expected = 0.0f;
        for (int frame = 0; frame < 300; ++frame) {
            try {
                view.rebuild();
                expected += terrain::kLevels;
                if (view.draw() != expected) ++wrong;
            } catch (const std::exception& e) {
                if (failures++ == 0) std::printf("rebuild: %s\n", e.what());
            }
        }
        loader.close();
        try {
            std::printf("%zu tiles\n", tiles.get().size());
        } catch (const std::exception& e) {
            std::printf("loader: %s\n", e.what());
            ++failures;
        }
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        ++failures;
    }
    std::puts(failures == 0 && wrong == 0 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
