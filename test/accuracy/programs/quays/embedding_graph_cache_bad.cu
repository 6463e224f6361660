// Inference engine with a growable vocabulary. Forward passes are replayed from graphs that are cached by batch shape.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lattice {

void cudaCheck(cudaError_t err, const char* where) {
    if (err != cudaSuccess) {
        throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(err));
    }
}

/* ------------------------------------------------------------------ allocator */

class CachingAllocator {
public:
    static CachingAllocator& instance() {
        static CachingAllocator allocator;
        return allocator;
    }

    void* allocate(size_t bytes) {
        std::lock_guard<std::mutex> guard(mutex_);
        bytes = roundUp(bytes);
        auto& bin = bins_[bytes];
        if (!bin.empty()) {
            void* block = bin.front();
            bin.pop_front();
            return block;
        }
        void* block = nullptr;
        cudaCheck(cudaMalloc(&block, bytes), "CachingAllocator");
        return block;
    }

    void release(void* block, size_t bytes) {
        std::lock_guard<std::mutex> guard(mutex_);
        bins_[roundUp(bytes)].push_front(block);
    }

    static size_t roundUp(size_t bytes) { return (bytes + 511) / 512 * 512; }

private:
    std::mutex mutex_;
    std::map<size_t, std::list<void*>> bins_;
};

/* --------------------------------------------------------------------- tensor */

class Storage {
public:
    explicit Storage(size_t bytes) : bytes_(bytes), data_(CachingAllocator::instance().allocate(bytes)) {}
    ~Storage() { CachingAllocator::instance().release(data_, bytes_); }
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    /* Keeps the contents. */
    void resize(size_t bytes, cudaStream_t stream) {
        void* grown = CachingAllocator::instance().allocate(bytes);
        cudaCheck(cudaMemcpyAsync(grown, data_, std::min(bytes, bytes_), cudaMemcpyDeviceToDevice, stream), "resize");
        cudaCheck(cudaStreamSynchronize(stream), "resize");
        CachingAllocator::instance().release(data_, bytes_);  // HAZARD dangling #table
        data_ = grown;
        bytes_ = bytes;
        ++version_;
    }

    void* data() const { return data_; }
    uint64_t version() const { return version_; }

private:
    size_t bytes_;
    void* data_;
    uint64_t version_ = 0;
};

template <typename T>
struct Tensor {
    std::shared_ptr<Storage> storage;
    int rows = 0;
    int cols = 0;

    static Tensor empty(int rows, int cols) {
        return Tensor{std::make_shared<Storage>(sizeof(T) * rows * cols), rows, cols};
    }
    T* data() const { return static_cast<T*>(storage->data()); }
    size_t bytes() const { return sizeof(T) * rows * cols; }
};

__global__ void fillRows(float* table, int firstRow, int lastRow, int cols, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + firstRow * cols;
    if (i < lastRow * cols) {
        table[i] = scale * static_cast<float>(i / cols) + static_cast<float>(i % cols);
    }
}

__global__ void gatherSum(const float* table, const int* tokens, float* pooled, int tokensPerRow, int cols) {
    float sum = 0.0f;
    for (int t = 0; t < tokensPerRow; ++t) {
        sum += table[tokens[blockIdx.x * tokensPerRow + t] * cols + threadIdx.x];
    }
    pooled[blockIdx.x * cols + threadIdx.x] = sum;
}

__global__ void activate(float* pooled, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        pooled[i] = fmaxf(pooled[i], 0.0f) * 0.5f;
    }
}

/* --------------------------------------------------------------------- module */

class Embedding {
public:
    static constexpr int kCols = 64;
    static constexpr float kScale = 3.0f;

    Embedding(int vocabulary, cudaStream_t stream) : table_(Tensor<float>::empty(vocabulary, kCols)) {
        initialize(0, stream);
    }

    void addTokens(int count, cudaStream_t stream) {
        const int first = table_.rows;
        table_.rows += count;
        table_.storage->resize(table_.bytes(), stream);
        initialize(first, stream);
    }

    void forward(const Tensor<int>& tokens, const Tensor<float>& pooled, cudaStream_t stream) const {
        gatherSum<<<tokens.rows, kCols, 0, stream>>>(table_.data(), tokens.data(), pooled.data(), tokens.cols, kCols);  // HAZARD dangling #table
        activate<<<(tokens.rows * kCols + 127) / 128, 128, 0, stream>>>(pooled.data(), tokens.rows * kCols);
    }

    const Tensor<float>& table() const { return table_; }

private:
    void initialize(int first, cudaStream_t stream) {
        const int n = (table_.rows - first) * kCols;
        fillRows<<<(n + 127) / 128, 128, 0, stream>>>(table_.data(), first, table_.rows, kCols, kScale);
        cudaCheck(cudaStreamSynchronize(stream), "initialize");
    }

    Tensor<float> table_;
};

/* --------------------------------------------------------------------- engine */

class Engine {
public:
    explicit Engine(int vocabulary) : stream_(makeStream()), embedding_(vocabulary, stream_) {}

    ~Engine() {
        for (auto& entry : cache_) {
            cudaGraphExecDestroy(entry.second.exec);
        }
        cudaStreamDestroy(stream_);
    }

    std::vector<float> infer(const std::vector<int>& tokens, int tokensPerRow) {
        const int rows = static_cast<int>(tokens.size()) / tokensPerRow;
        Entry& entry = lookup(rows, tokensPerRow);
        cudaCheck(cudaMemcpyAsync(entry.tokens.data(), tokens.data(), entry.tokens.bytes(), cudaMemcpyHostToDevice, stream_), "tokens");
        cudaCheck(cudaGraphLaunch(entry.exec, stream_), "launch");
        std::vector<float> result(static_cast<size_t>(rows) * Embedding::kCols);
        cudaCheck(cudaMemcpyAsync(result.data(), entry.pooled.data(), entry.pooled.bytes(), cudaMemcpyDeviceToHost, stream_), "result");
        cudaCheck(cudaStreamSynchronize(stream_), "infer");
        return result;
    }

    void growVocabulary(int count) { embedding_.addTokens(count, stream_); }

    /* Eager per-token statistics: works on a table-sized temporary. */
    void collectUsage(int rows) {
        Tensor<float> usage = Tensor<float>::empty(rows, Embedding::kCols);
        cudaCheck(cudaMemsetAsync(usage.data(), 0, usage.bytes(), stream_), "usage");
        cudaCheck(cudaStreamSynchronize(stream_), "usage");
    }

    size_t cachedGraphs() const { return cache_.size(); }

private:
    struct Entry {
        Tensor<int> tokens;
        Tensor<float> pooled;
        cudaGraphExec_t exec = nullptr;
    };
    using Key = std::pair<int, int>;

    static cudaStream_t makeStream() {
        cudaStream_t stream = nullptr;
        cudaCheck(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        return stream;
    }

    Entry& lookup(int rows, int tokensPerRow) {
        const Key key{rows, tokensPerRow};
        auto found = cache_.find(key);
        if (found != cache_.end()) {
            return found->second;
        }
        Entry entry{Tensor<int>::empty(rows, tokensPerRow), Tensor<float>::empty(rows, Embedding::kCols), nullptr};
        cudaGraph_t graph = nullptr;
        cudaCheck(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        embedding_.forward(entry.tokens, entry.pooled, stream_);
        cudaCheck(cudaStreamEndCapture(stream_, &graph), "end");
        cudaCheck(cudaGraphInstantiate(&entry.exec, graph, 0), "instantiate");
        cudaCheck(cudaGraphDestroy(graph), "destroy");
        return cache_.emplace(key, std::move(entry)).first->second;
    }

    cudaStream_t stream_;
    Embedding embedding_;
    std::map<Key, Entry> cache_;
};

}  // namespace lattice

static int countWrong(lattice::Engine& engine, int rows, int tokensPerRow, int vocabulary, int seed) {
    std::vector<int> tokens(rows * tokensPerRow);
    for (size_t i = 0; i < tokens.size(); ++i) {
        tokens[i] = static_cast<int>((i * 31 + seed * 17) % vocabulary);
    }
    const std::vector<float> got = engine.infer(tokens, tokensPerRow);
    int wrong = 0;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < lattice::Embedding::kCols; ++c) {
            float sum = 0.0f;
            for (int t = 0; t < tokensPerRow; ++t) {
                sum += lattice::Embedding::kScale * tokens[r * tokensPerRow + t] + c;
            }
            wrong += std::fabs(got[r * lattice::Embedding::kCols + c] - 0.5f * sum) > 1e-2f;
        }
    }
    std::printf("rows %d vocabulary %d: %d wrong values\n", rows, vocabulary, wrong);
    return wrong;
}

int main() {
    try {
        lattice::Engine engine(1000);
        int before = 0, smallAfter = 0, largeAfter = 0;
        for (int seed = 0; seed < 3; ++seed) {
            before += countWrong(engine, 8, 16, 1000, seed);
            engine.collectUsage(1000);
        }
        engine.growVocabulary(200);
        engine.collectUsage(1000);
        for (int seed = 3; seed < 6; ++seed) {
            smallAfter += countWrong(engine, 8, 16, 1000, seed);
            largeAfter += countWrong(engine, 32, 16, 1200, seed);
        }
        const bool confirmed = before == 0 && smallAfter > 0 && largeAfter == 0 && engine.cachedGraphs() == 2;
        std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
        return confirmed ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
}
