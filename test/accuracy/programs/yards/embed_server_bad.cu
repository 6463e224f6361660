// Text embedding service: request queue, shape-keyed graph cache, mean pooling over token states.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace embed {

constexpr int kDim = 64;
constexpr int kVocab = 512;
constexpr int kMaxTokens = 256;
constexpr int kMaxBatch = 32;

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const char* what) : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code)) {}
};
inline void verify(cudaError_t s, const char* what) {
    if (s != cudaSuccess) throw CudaError(s, what);
}

struct Shape {
    int batch, sequence;
    int tokens() const { return batch * sequence; }
    bool operator==(const Shape& o) const { return batch == o.batch && sequence == o.sequence; }
};

struct Request {
    uint64_t id;
    Shape shape;
    std::vector<int> tokens;
};
struct Response {
    uint64_t id;
    std::vector<float> embeddings;  // batch x kDim
};

class RequestQueue {
public:
    void push(Request r) { items_.push_back(std::move(r)); }
    std::optional<Request> pop() {
        if (items_.empty()) return std::nullopt;
        Request r = std::move(items_.front());
        items_.pop_front();
        return r;
    }

private:
    std::deque<Request> items_;
};

__host__ __device__ inline float tableValue(int token, int d) { return ((token * 37 + d * 11) % 101) * 0.01f - 0.5f; }

__global__ void initTable(float* table) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kVocab * kDim) table[i] = tableValue(i / kDim, i % kDim);
}
__global__ void gatherTokens(const float* table, const int* ids, float* hidden) {
    hidden[blockIdx.x * kDim + threadIdx.x] = table[ids[blockIdx.x] * kDim + threadIdx.x];
}
__global__ void poolMean(const float* hidden, float* pooled, int sequence) {
    float sum = 0.0f;
    for (int t = 0; t < sequence; ++t) sum += hidden[(blockIdx.x * sequence + t) * kDim + threadIdx.x];
    pooled[blockIdx.x * kDim + threadIdx.x] = sum / sequence;
}

class Arena {
public:
    explicit Arena(size_t bytes) : size_(bytes) { verify(cudaMalloc(&base_, bytes), "arena"); }
    ~Arena() { cudaFree(base_); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    template <class T>
    T* take(size_t count) {
        size_t at = (used_ + 255) & ~size_t(255);
        if (at + count * sizeof(T) > size_) throw std::runtime_error("arena exhausted");
        used_ = at + count * sizeof(T);
        return reinterpret_cast<T*>(base_ + at);
    }

private:
    char* base_ = nullptr;
    size_t size_, used_ = 0;
};

class CompiledShape {
public:
    explicit CompiledShape(cudaGraph_t graph) { verify(cudaGraphInstantiate(&exec_, graph, 0), "instantiate"); }
    ~CompiledShape() { cudaGraphExecDestroy(exec_); }
    CompiledShape(const CompiledShape&) = delete;
    CompiledShape& operator=(const CompiledShape&) = delete;
    void launch(cudaStream_t s) const { verify(cudaGraphLaunch(exec_, s), "graph launch"); }

private:
    cudaGraphExec_t exec_ = nullptr;
};

class EmbeddingSession {
public:
    EmbeddingSession() : arena_(1 << 20) {
        verify(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        table_ = arena_.take<float>(kVocab * kDim);
        ids_ = arena_.take<int>(kMaxTokens);
        hidden_ = arena_.take<float>(kMaxTokens * kDim);
        pooled_ = arena_.take<float>(kMaxBatch * kDim);
        verify(cudaMallocHost(&hostIds_, kMaxTokens * sizeof(int)), "pinned ids");
        verify(cudaMallocHost(&hostPooled_, kMaxBatch * kDim * sizeof(float)), "pinned output");
        initTable<<<(kVocab * kDim + 255) / 256, 256, 0, stream_>>>(table_);
        verify(cudaGetLastError(), "table");
        verify(cudaStreamSynchronize(stream_), "table");
    }
    ~EmbeddingSession() {
        cache_.clear();
        cudaFreeHost(hostPooled_);
        cudaFreeHost(hostIds_);
        cudaStreamDestroy(stream_);
    }

    Response run(const Request& request) {
        if (request.shape.tokens() > kMaxTokens || request.shape.batch > kMaxBatch)
            throw std::invalid_argument("request too large");
        const CompiledShape& graph = lookup(request.shape);
        std::copy(request.tokens.begin(), request.tokens.end(), hostIds_);
        graph.launch(stream_);
        verify(cudaStreamSynchronize(stream_), "inference");
        const size_t count = size_t(request.shape.batch) * kDim;
        return Response{request.id, std::vector<float>(hostPooled_, hostPooled_ + count)};
    }

    int compiled() const { return compiled_; }

private:
    using Key = int;
    struct KeyHash {
        size_t operator()(Key k) const { return std::hash<int>()(k); }
    };
    static Key keyOf(const Shape& shape) { return shape.tokens(); }  // HAZARD dynamic_shape #key

    const CompiledShape& lookup(const Shape& shape) {
        auto it = cache_.find(keyOf(shape));  // HAZARD dynamic_shape #key
        if (it == cache_.end()) it = cache_.emplace(keyOf(shape), compile(shape)).first;
        return *it->second;
    }

    void forward(const Shape& shape) {
        verify(cudaMemcpyAsync(ids_, hostIds_, shape.tokens() * sizeof(int), cudaMemcpyHostToDevice, stream_), "ids");
        gatherTokens<<<shape.tokens(), kDim, 0, stream_>>>(table_, ids_, hidden_);
        poolMean<<<shape.batch, kDim, 0, stream_>>>(hidden_, pooled_, shape.sequence);  // HAZARD dynamic_shape #key
        verify(cudaGetLastError(), "forward");
        verify(cudaMemcpyAsync(hostPooled_, pooled_, shape.batch * kDim * sizeof(float), cudaMemcpyDeviceToHost, stream_), "output");  // HAZARD dynamic_shape #key
    }

    std::unique_ptr<CompiledShape> compile(const Shape& shape) {
        cudaGraph_t graph = nullptr;
        verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        try {
            forward(shape);
        } catch (...) {
            if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
            throw;
        }
        verify(cudaStreamEndCapture(stream_, &graph), "end capture");
        std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, GraphDeleter> owner(graph);
        ++compiled_;
        return std::make_unique<CompiledShape>(graph);
    }
    struct GraphDeleter {
        void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); }
    };

    Arena arena_;
    cudaStream_t stream_ = nullptr;
    float *table_ = nullptr, *hidden_ = nullptr, *pooled_ = nullptr, *hostPooled_ = nullptr;
    int *ids_ = nullptr, *hostIds_ = nullptr;
    std::unordered_map<Key, std::unique_ptr<CompiledShape>, KeyHash> cache_;
    int compiled_ = 0;
};

bool responseMatches(const Request& q, const Response& r) {
    for (int b = 0; b < q.shape.batch; ++b)
        for (int d = 0; d < kDim; ++d) {
            float sum = 0.0f;
            for (int t = 0; t < q.shape.sequence; ++t) sum += tableValue(q.tokens[b * q.shape.sequence + t], d);
            if (!(std::fabs(sum / q.shape.sequence - r.embeddings[b * kDim + d]) < 1e-4f)) return false;
        }
    return true;
}

Request makeRequest(uint64_t id, Shape shape) {
    Request r{id, shape, std::vector<int>(shape.tokens())};
    for (int i = 0; i < shape.tokens(); ++i) r.tokens[i] = int((i * 97 + id * 131 + (i / 5) * id) % kVocab);
    return r;
}

}  // namespace embed

int main() {
    using namespace embed;
    try {
        RequestQueue queue;
        const Shape traffic[] = {{2, 32}, {2, 32}, {4, 16}, {8, 16}, {2, 32}, {4, 32}};
        uint64_t next = 1;
        for (const Shape& s : traffic) queue.push(makeRequest(next++, s));

        EmbeddingSession session;
        std::string outcome;
        while (std::optional<Request> q = queue.pop()) outcome += responseMatches(*q, session.run(*q)) ? '1' : '0';
        std::printf("outcome %s, %d graphs\n", outcome.c_str(), session.compiled());
        bool observed = outcome == "110110" && session.compiled() == 2;
        std::puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
        return observed ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
}
