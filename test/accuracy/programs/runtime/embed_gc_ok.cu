#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#define RT_CHECK(expr)                                                                          \
    do {                                                                                        \
        if (cudaError_t rt_rc = (expr); rt_rc != cudaSuccess) {                                 \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(rt_rc));  \
            std::abort();                                                                       \
        }                                                                                       \
    } while (0)

namespace recsys {

constexpr int kRows = 4096;
constexpr int kDim = 32;

template <class F>
class ScopeExit {
public:
    explicit ScopeExit(F f) : f_(std::move(f)) {}
    ~ScopeExit() { f_(); }
    ScopeExit(const ScopeExit&) = delete;
    ScopeExit& operator=(const ScopeExit&) = delete;

private:
    F f_;
};

class DeferredFrees {
public:
    void defer(void* p) { pending_.push_back(p); }

    void collect(cudaStream_t stream) {
        for (void* p : pending_) {
            RT_CHECK(cudaFreeAsync(p, stream));
        }
        pending_.clear();
    }

private:
    std::vector<void*> pending_;
};

__global__ void scatter_rows(float* table, const float* rows, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * kDim) table[first * kDim + i] = rows[i];
}

__global__ void pool_table(const float* table, float* pooled) {
    int d = threadIdx.x;
    float acc = 0.0f;
    for (int r = 0; r < kRows; ++r) acc += table[r * kDim + d];
    pooled[d] = acc / kRows;
}

__global__ void relu(float* pooled) { pooled[threadIdx.x] = fmaxf(pooled[threadIdx.x], 0.0f); }

struct Pass {
    std::string name;
    std::function<void(cudaStream_t)> run;
};

class EmbeddingServer {
public:
    EmbeddingServer() {
        RT_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        RT_CHECK(cudaMalloc(&table_, sizeof(float) * kRows * kDim));
        RT_CHECK(cudaMalloc(&pooled_, sizeof(float) * kDim));
        RT_CHECK(cudaMemsetAsync(table_, 0, sizeof(float) * kRows * kDim, stream_));
        passes_.push_back({"pool", [this](cudaStream_t s) {
                               pool_table<<<1, kDim, 0, s>>>(table_, pooled_);
                               RT_CHECK(cudaGetLastError());
                           }});
        passes_.push_back({"relu", [this](cudaStream_t s) {
                               relu<<<1, kDim, 0, s>>>(pooled_);
                               RT_CHECK(cudaGetLastError());
                           }});
    }
    ~EmbeddingServer() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(table_);
        cudaFree(pooled_);
        cudaStreamDestroy(stream_);
    }
    EmbeddingServer(const EmbeddingServer&) = delete;
    EmbeddingServer& operator=(const EmbeddingServer&) = delete;

    void ingest(int first, const std::vector<float>& rows) {
        float* scratch = nullptr;
        const int n = static_cast<int>(rows.size()) / kDim;
        RT_CHECK(cudaMallocAsync(&scratch, rows.size() * sizeof(float), stream_));
        frees_.defer(scratch);
        RT_CHECK(cudaMemcpyAsync(scratch, rows.data(), rows.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
        scatter_rows<<<(n * kDim + 255) / 256, 256, 0, stream_>>>(table_, scratch, first, n);
        RT_CHECK(cudaGetLastError());
        RT_CHECK(cudaStreamSynchronize(stream_));
    }

    std::vector<float> score() {
        frees_.collect(stream_);
        if (!exec_) compile();
        RT_CHECK(cudaGraphLaunch(exec_, stream_));
        std::vector<float> out(kDim);
        RT_CHECK(cudaMemcpyAsync(out.data(), pooled_, kDim * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        RT_CHECK(cudaStreamSynchronize(stream_));
        return out;
    }

private:
    void compile() {
        cudaGraph_t graph = nullptr;
        {
            RT_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
            ScopeExit end([&] { RT_CHECK(cudaStreamEndCapture(stream_, &graph)); });
            for (const Pass& p : passes_) p.run(stream_);
        }
        RT_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        RT_CHECK(cudaGraphDestroy(graph));
    }

    cudaStream_t stream_ = nullptr;
    float* table_ = nullptr;
    float* pooled_ = nullptr;
    DeferredFrees frees_;
    std::vector<Pass> passes_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace recsys

static std::uint64_t pool_bytes_in_use() {
    cudaMemPool_t pool = nullptr;
    std::uint64_t used = 0;
    RT_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    RT_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    return used;
}

int main() {
    using namespace recsys;
    const std::uint64_t before = pool_bytes_in_use();
    EmbeddingServer server;
    bool right = true;
    for (int round = 1; round <= 3; ++round) {
        server.ingest(0, std::vector<float>(kRows / 2 * kDim, 1.0f * round));
        server.ingest(kRows / 2, std::vector<float>(kRows / 2 * kDim, 3.0f * round));
        for (float v : server.score()) right = right && std::fabs(v - 2.0f * round) < 1e-3f;
    }
    const bool leaked = pool_bytes_in_use() > before;
    std::puts(right && !leaked ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
