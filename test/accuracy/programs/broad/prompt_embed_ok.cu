// Prompt embedding for an inference server: layers behind a virtual interface, one session graph per model.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

constexpr std::size_t kMaxTokens = 64;
constexpr int kPad = -1;

#define CHECK(call)                                                                                             \
    do {                                                                                                        \
        cudaError_t status = (call);                                                                            \
        if (status != cudaSuccess)                                                                              \
            throw std::runtime_error(std::string(#call) + " failed: " + cudaGetErrorString(status));            \
    } while (false)

template <class T>
struct PinnedAllocator {
    using value_type = T;
    PinnedAllocator() = default;
    template <class U>
    PinnedAllocator(const PinnedAllocator<U>&) {}
    T* allocate(std::size_t n) {
        void* p = nullptr;
        if (cudaMallocHost(&p, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
        return static_cast<T*>(p);
    }
    void deallocate(T* p, std::size_t) { cudaFreeHost(p); }
    friend bool operator==(const PinnedAllocator&, const PinnedAllocator&) { return true; }
    friend bool operator!=(const PinnedAllocator&, const PinnedAllocator&) { return false; }
};
template <class T>
using PinnedVector = std::vector<T, PinnedAllocator<T>>;

template <class T>
std::shared_ptr<T> deviceArray(std::size_t n) {
    T* p = nullptr;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    return std::shared_ptr<T>(p, [](T* q) { cudaFree(q); });
}

struct Layer {
    virtual ~Layer() = default;
    virtual void enqueue(cudaStream_t stream) = 0;
};

class TokenInput final : public Layer {
public:
    explicit TokenInput(std::shared_ptr<int> out) : out_(std::move(out)) {
        ids_.resize(kMaxTokens, kPad);
        CHECK(cudaMemset(out_.get(), 0xff, kMaxTokens * sizeof(int)));
        CHECK(cudaDeviceSynchronize());
    }

    void set(const std::vector<int>& prompt) {
        if (prompt.size() > kMaxTokens) throw std::length_error("prompt too long");
        const auto rest = std::copy(prompt.begin(), prompt.end(), ids_.begin());
        std::fill(rest, ids_.end(), kPad);
    }

    void enqueue(cudaStream_t stream) override {
        CHECK(cudaMemcpyAsync(out_.get(), ids_.data(), ids_.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
    }

private:
    PinnedVector<int> ids_;
    std::shared_ptr<int> out_;
};

__global__ void embed(const int* ids, float* rows, int width) {
    const int token = blockIdx.x;
    const int id = ids[token];
    for (int c = threadIdx.x; c < width; c += blockDim.x) rows[token * width + c] = id < 0 ? 0.0f : float(id) + 0.5f;
}

class Embedding final : public Layer {
public:
    Embedding(std::shared_ptr<int> ids, std::shared_ptr<float> rows, int width)
        : ids_(std::move(ids)), rows_(std::move(rows)), width_(width) {}
    void enqueue(cudaStream_t stream) override {
        embed<<<unsigned(kMaxTokens), 32, 0, stream>>>(ids_.get(), rows_.get(), width_);
        CHECK(cudaGetLastError());
    }

private:
    std::shared_ptr<int> ids_;
    std::shared_ptr<float> rows_;
    const int width_;
};

class Session {
public:
    Session() { CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    Session(const Session&) = delete;
    ~Session() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    void add(std::unique_ptr<Layer> layer) { layers_.push_back(std::move(layer)); }

    void run() {
        if (!exec_) compile();
        CHECK(cudaGraphLaunch(exec_, stream_));
        CHECK(cudaStreamSynchronize(stream_));
    }

private:
    void compile() {
        cudaGraph_t graph = nullptr;
        CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        try {
            for (const auto& layer : layers_) layer->enqueue(stream_);
        } catch (...) {
            if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
            throw;
        }
        CHECK(cudaStreamEndCapture(stream_, &graph));
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        CHECK(made);
    }

    std::vector<std::unique_ptr<Layer>> layers_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

int main() {
    constexpr int kWidth = 16;
    int wrong = 0;
    try {
        auto ids = deviceArray<int>(kMaxTokens);
        auto rows = deviceArray<float>(kMaxTokens * kWidth);
        auto input = std::make_unique<TokenInput>(ids);
        TokenInput& tokens = *input;
        Session session;
        session.add(std::move(input));
        session.add(std::make_unique<Embedding>(ids, rows, kWidth));

        for (const std::vector<int>& prompt : {std::vector<int>{7, 8, 9}, {1, 2, 3, 4, 5, 6}, {40, 41}}) {
            tokens.set(prompt);
            session.run();
            std::vector<float> host(kMaxTokens * kWidth);
            CHECK(cudaMemcpy(host.data(), rows.get(), host.size() * sizeof(float), cudaMemcpyDeviceToHost));
            for (std::size_t t = 0; t < kMaxTokens; ++t) {
                const float expected = t < prompt.size() ? float(prompt[t]) + 0.5f : 0.0f;
                if (std::fabs(host[t * kWidth] - expected) > 1e-6f) ++wrong;
            }
        }
        std::printf("wrong rows: %d\n", wrong);
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
        return 0;
    }
    std::puts(wrong == 0 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
