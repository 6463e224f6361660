// Terrain tiles: each level-of-detail change records a new graph for the tile; tiles are move-only values in a deque.
#include <cuda_runtime.h>

#include <cstdio>
#include <deque>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace terrain {

struct ExecCounters {
    int created = 0;
    int destroyed = 0;
    int live() const { return created - destroyed; }
};
ExecCounters g_execs;

class GraphExec {
public:
    GraphExec() = default;
    explicit GraphExec(cudaGraphExec_t exec) : exec_(exec) { ++g_execs.created; }
    GraphExec(GraphExec&& other) noexcept : exec_(std::exchange(other.exec_, nullptr)) {}
    GraphExec& operator=(GraphExec&& other) noexcept {
        exec_ = std::exchange(other.exec_, nullptr);  // HAZARD lifetime
        return *this;
    }
    ~GraphExec() { reset(); }

    cudaError_t launch(cudaStream_t stream) const { return cudaGraphLaunch(exec_, stream); }

private:
    void reset() noexcept {
        if (!exec_) return;
        cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
        ++g_execs.destroyed;
    }
    cudaGraphExec_t exec_ = nullptr;
};

// Surface kinds a level of detail can be built from.
struct Flat { float height; };
struct Slope { float base, step; };
struct Heightmap { int id; };  // streamed from disc; not available on this path
using Surface = std::variant<Flat, Slope, Heightmap>;

constexpr int kVertices = 1024;

__global__ void fillFlat(float* v, float h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kVertices) v[i] = h;
}
__global__ void fillSlope(float* v, float base, float step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kVertices) v[i] = base + step * i;
}
__global__ void accumulate(const float* v, float* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kVertices) sum[i] += v[i];
}

std::optional<GraphExec> record(cudaStream_t stream, const Surface& surface, float* vertices, float* sum) {
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return std::nullopt;
    if (const auto* flat = std::get_if<Flat>(&surface)) {
        fillFlat<<<kVertices / 256, 256, 0, stream>>>(vertices, flat->height);
    } else if (const auto* slope = std::get_if<Slope>(&surface)) {
        fillSlope<<<kVertices / 256, 256, 0, stream>>>(vertices, slope->base, slope->step);
    } else {
        return std::nullopt;  // HAZARD scope
    }
    accumulate<<<kVertices / 256, 256, 0, stream>>>(vertices, sum);
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) return std::nullopt;
    cudaGraphExec_t exec = nullptr;
    const cudaError_t status = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    if (status != cudaSuccess) return std::nullopt;
    return GraphExec(exec);
}

struct Tile {
    float* vertices = nullptr;
    float* sum = nullptr;
    GraphExec exec;

    Tile() {
        if (cudaMalloc(&vertices, kVertices * sizeof(float)) != cudaSuccess) vertices = nullptr;
        if (cudaMalloc(&sum, kVertices * sizeof(float)) != cudaSuccess) sum = nullptr;
    }
    ~Tile() {
        cudaFree(sum);
        cudaFree(vertices);
    }
    Tile(const Tile&) = delete;
    Tile& operator=(const Tile&) = delete;

    // Keeps the previous level of detail if the new one is not available.
    bool setSurface(cudaStream_t stream, const Surface& surface) {
        auto fresh = record(stream, surface, vertices, sum);
        if (!fresh) return false;
        exec = std::move(*fresh);
        return true;
    }
};

}  // namespace terrain

int main() {
    using namespace terrain;
    cudaStream_t stream = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return 1;
    int errors = 0, leaked = 0;
    {
        std::deque<Tile> tiles(3);
        auto frame = [&](float want) {
            for (Tile& t : tiles) {
                std::vector<float> host(kVertices, -1.f);
                const bool ok = cudaMemsetAsync(t.sum, 0, kVertices * sizeof(float), stream) == cudaSuccess &&
                                t.exec.launch(stream) == cudaSuccess && t.exec.launch(stream) == cudaSuccess &&
                                cudaMemcpyAsync(host.data(), t.sum, kVertices * sizeof(float),
                                                cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
                                cudaStreamSynchronize(stream) == cudaSuccess;
                if (!ok || host[10] != want) ++errors;
            }
        };
        for (int epoch = 1; epoch <= 4; ++epoch) {
            for (Tile& t : tiles)
                if (!t.setSurface(stream, epoch % 2 ? Surface(Flat{float(epoch)}) : Surface(Slope{1.f, float(epoch)}))) ++errors;
            frame(epoch % 2 ? 2.f * epoch : 2.f * (1.f + 10.f * epoch));
        }
        const int before = errors;
        leaked = g_execs.live() - int(tiles.size());
        if (tiles.front().setSurface(stream, Heightmap{7})) ++errors;  // declined: the old surface stays
        frame(2.f * 41.f);
        std::printf("errors before %d, after %d; %d executables too many\n", before, errors, leaked);
        if (before) leaked = -1;
    }
    cudaStreamDestroy(stream);
    std::puts(errors > 0 && leaked > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
