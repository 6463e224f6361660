#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

// ---------------------------------------------------------------- graph_cache.hpp
namespace gc {

inline void check(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

template <class Key>
class graph_cache {
public:
    graph_cache() = default;
    graph_cache(const graph_cache&) = delete;
    graph_cache& operator=(const graph_cache&) = delete;
    ~graph_cache() {
        for (auto& kv : execs_) cudaGraphExecDestroy(kv.second);
    }

    template <class Record>
    void launch(const Key& key, cudaStream_t stream, Record&& record) {
        auto it = execs_.find(key);
        if (it == execs_.end()) it = execs_.emplace(key, build(stream, std::forward<Record>(record))).first;
        check(cudaGraphLaunch(it->second, stream));
    }

    std::size_t size() const { return execs_.size(); }

private:
    template <class Record>
    static cudaGraphExec_t build(cudaStream_t stream, Record&& record) {
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        cudaGraph_t graph = nullptr;
        try {
            record(stream);
        } catch (...) {
            cudaStreamEndCapture(stream, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        check(cudaStreamEndCapture(stream, &graph));
        cudaGraphExec_t exec = nullptr;
        const cudaError_t e = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        check(e);
        return exec;
    }

    std::unordered_map<Key, cudaGraphExec_t> execs_;
};

}  // namespace gc

// ---------------------------------------------------------------- embedding.hpp
constexpr int kDim = 64;
constexpr int kVocab = 100;
constexpr int kBucket = 32;
constexpr int kMaxTokens = 128;

__global__ void gather_rows(const float* table, const int* ids, float* out) {
    out[blockIdx.x * kDim + threadIdx.x] = table[ids[blockIdx.x] * kDim + threadIdx.x];
}

__global__ void scale_rows(float* rows) { rows[blockIdx.x * kDim + threadIdx.x] *= 2.0f; }

class embedder {
public:
    explicit embedder(const std::vector<float>& table) {
        gc::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        gc::check(cudaMalloc(&table_, table.size() * sizeof(float)));
        gc::check(cudaMalloc(&ids_, kMaxTokens * sizeof(int)));
        gc::check(cudaMalloc(&rows_, kMaxTokens * kDim * sizeof(float)));
        gc::check(cudaMallocHost(&host_ids_, kMaxTokens * sizeof(int)));
        gc::check(cudaMemcpy(table_, table.data(), table.size() * sizeof(float), cudaMemcpyHostToDevice));
        gc::check(cudaMemset(rows_, 0, kMaxTokens * kDim * sizeof(float)));
        gc::check(cudaDeviceSynchronize());
    }
    embedder(const embedder&) = delete;
    ~embedder() {
        cudaStreamSynchronize(stream_);
        cudaFreeHost(host_ids_);
        cudaFree(rows_);
        cudaFree(ids_);
        cudaFree(table_);
        cudaStreamDestroy(stream_);
    }

    std::vector<float> embed(const std::vector<int>& tokens) {
        const int n = static_cast<int>(tokens.size());
        if (n == 0 || n > kMaxTokens) throw std::invalid_argument("token count");
        const int padded = (n + kBucket - 1) / kBucket * kBucket;
        for (int i = 0; i < padded; ++i) host_ids_[i] = i < n ? tokens[i] : 0;

        cache_.launch(padded, stream_, [&](cudaStream_t s) {
            gc::check(cudaMemcpyAsync(ids_, host_ids_, padded * sizeof(int), cudaMemcpyHostToDevice, s));
            gather_rows<<<padded, kDim, 0, s>>>(table_, ids_, rows_);
            gc::check(cudaGetLastError());
            scale_rows<<<padded, kDim, 0, s>>>(rows_);
            gc::check(cudaGetLastError());
        });

        std::vector<float> out(static_cast<std::size_t>(n) * kDim);
        gc::check(cudaMemcpyAsync(out.data(), rows_, out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        gc::check(cudaStreamSynchronize(stream_));
        return out;
    }

private:
    cudaStream_t stream_ = nullptr;
    float* table_ = nullptr;
    int* ids_ = nullptr;
    float* rows_ = nullptr;
    int* host_ids_ = nullptr;
    gc::graph_cache<int> cache_;
};

// ---------------------------------------------------------------- main.cu
int main() {
    std::vector<float> table(kVocab * kDim);
    for (int v = 0; v < kVocab; ++v)
        for (int d = 0; d < kDim; ++d) table[v * kDim + d] = 1.0f + v;

    bool good = true;
    try {
        embedder model(table);
        for (int count : {20, 31, 70, 25, 90}) {
            std::vector<int> tokens(count);
            for (int i = 0; i < count; ++i) tokens[i] = (i * 7 + count) % kVocab;
            const std::vector<float> rows = model.embed(tokens);
            int wrong = 0;
            for (int i = 0; i < count; ++i)
                if (rows[i * kDim] != 2.0f * (1.0f + tokens[i])) ++wrong;
            std::printf("%d tokens, %d wrong rows\n", count, wrong);
            good = good && wrong == 0;
        }
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
        return 0;
    }
    std::printf(good ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
