// Request batcher: one captured graph per batch height, all device memory from a slab arena.
#include <cuda_runtime.h>

#include <cstdio>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace serving {

inline void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

constexpr int kWidth = 128;

// First-fit arena on top of a single allocation; blocks go back to it when their owner dies.
class Arena {
public:
    explicit Arena(size_t bytes) {
        check(cudaMalloc(&base_, bytes), "arena");
        free_[0] = bytes;
    }
    ~Arena() { cudaFree(base_); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    size_t take(size_t bytes) {
        for (auto it = free_.begin(); it != free_.end(); ++it) {
            if (it->second < bytes) continue;
            const size_t offset = it->first;
            const size_t rest = it->second - bytes;
            free_.erase(it);
            if (rest) free_[offset + bytes] = rest;
            return offset;
        }
        throw std::runtime_error("arena exhausted");
    }
    void give(size_t offset, size_t bytes) { free_[offset] = bytes; }
    float* at(size_t offset) const { return reinterpret_cast<float*>(static_cast<char*>(base_) + offset); }

private:
    void* base_ = nullptr;
    std::map<size_t, size_t> free_;
};

class Block {
public:
    Block() = default;
    Block(Arena& arena, size_t floats)
        : arena_(&arena), bytes_(floats * sizeof(float)), offset_(arena.take(bytes_)) {}
    Block(Block&& o) noexcept { swap(o); }
    Block& operator=(Block&& o) noexcept {
        Block fresh(std::move(o));
        swap(fresh);
        return *this;
    }
    ~Block() {
        if (arena_) arena_->give(offset_, bytes_);
    }
    float* data() const { return arena_ ? arena_->at(offset_) : nullptr; }
    size_t floats() const { return bytes_ / sizeof(float); }

private:
    void swap(Block& o) noexcept {
        std::swap(arena_, o.arena_);
        std::swap(bytes_, o.bytes_);
        std::swap(offset_, o.offset_);
    }
    Arena* arena_ = nullptr;
    size_t bytes_ = 0;
    size_t offset_ = 0;
};

__global__ void square(const float* in, float* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] = in[i] * in[i];
}

__global__ void rowSum(const float* scratch, float* out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.f;
    for (int c = 0; c < kWidth; ++c) s += scratch[r * kWidth + c];
    out[r] = s;
}

class Batcher {
public:
    Batcher(Arena& arena, int maxRows)
        : arena_(arena), in_(arena, size_t(maxRows) * kWidth), out_(arena, maxRows) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~Batcher() {
        for (auto& entry : plans_) cudaGraphExecDestroy(entry.second.exec);
        cudaStreamDestroy(stream_);
    }
    Batcher(const Batcher&) = delete;

    std::vector<float> run(const std::vector<float>& batch) {
        const int rows = int(batch.size()) / kWidth;
        Plan& plan = planFor(rows);
        std::vector<float> sums(rows);
        check(cudaMemcpyAsync(in_.data(), batch.data(), batch.size() * 4, cudaMemcpyHostToDevice, stream_), "h2d");
        check(cudaGraphLaunch(plan.exec, stream_), "launch");
        check(cudaMemcpyAsync(sums.data(), out_.data(), sums.size() * 4, cudaMemcpyDeviceToHost, stream_), "d2h");
        check(cudaStreamSynchronize(stream_), "sync");
        return sums;
    }
    void archive(Block& history, const std::vector<float>& values) {
        check(cudaMemcpyAsync(history.data(), values.data(), values.size() * 4, cudaMemcpyHostToDevice, stream_), "archive");
        check(cudaStreamSynchronize(stream_), "sync");
    }
    std::vector<float> restore(const Block& history) {
        std::vector<float> v(history.floats());
        check(cudaMemcpyAsync(v.data(), history.data(), v.size() * 4, cudaMemcpyDeviceToHost, stream_), "restore");
        check(cudaStreamSynchronize(stream_), "sync");
        return v;
    }

private:
    struct Plan {
        cudaGraphExec_t exec = nullptr;
        Block scratch;
    };

    Plan& planFor(int rows) {
        auto found = plans_.find(rows);
        if (found != plans_.end()) return found->second;
        Plan plan;
        const size_t need = size_t(rows) * kWidth;
        plan.scratch = Block(arena_, need);
        float* scratch = plan.scratch.data();
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        square<<<(rows * kWidth + 127) / 128, 128, 0, stream_>>>(in_.data(), scratch, rows * kWidth);
        rowSum<<<(rows + 63) / 64, 64, 0, stream_>>>(scratch, out_.data(), rows);
        check(cudaStreamEndCapture(stream_, &graph), "end");
        check(cudaGraphInstantiate(&plan.exec, graph, 0), "instantiate");
        check(cudaGraphDestroy(graph), "destroy");
        return plans_.emplace(rows, std::move(plan)).first->second;
    }

    Arena& arena_;
    Block in_, out_;
    std::map<int, Plan> plans_;
    cudaStream_t stream_ = nullptr;
};

}  // namespace serving

int main() {
    using namespace serving;
    bool failed = false;
    try {
        Arena arena(8u << 20);
        Batcher batcher(arena, 64);
        auto verify = [&](int rows, float v) {
            for (float s : batcher.run(std::vector<float>(size_t(rows) * kWidth, v)))
                if (s != v * v * kWidth) failed = true;
        };
        verify(8, 1.f);
        verify(8, 2.f);
        verify(64, 3.f);  // larger shape
        Block history(arena, 8 * kWidth);
        const std::vector<float> kept(8 * kWidth, -7.f);
        batcher.archive(history, kept);
        for (int i = 0; i < 3; ++i) verify(8, float(i + 1));
        if (batcher.restore(history) != kept) failed = true;
    } catch (const std::exception& e) {
        std::printf("error: %s\n", e.what());
        failed = true;
    }
    std::puts(!failed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
