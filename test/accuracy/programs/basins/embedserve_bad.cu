// Embedding server: requests are grouped into padded batches, each batch size has
// its own instantiated graph, and device memory comes from one slab pool.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#define CUDA_OK(expr)                                                                    \
    do {                                                                                 \
        cudaError_t e_ = (expr);                                                         \
        if (e_ != cudaSuccess) {                                                         \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
            std::exit(2);                                                                \
        }                                                                                \
    } while (0)

namespace serve {

constexpr int kIn = 32;
constexpr int kHidden = 64;
constexpr int kOut = 16;
constexpr int kMaxBatch = 16;

struct Params {
    float temperature;
};

__global__ void hidden_layer(const float* x, const float* w, float* h, int batch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * kHidden) return;
    int row = i / kHidden, col = i % kHidden;
    float acc = 0.f;
    for (int k = 0; k < kIn; ++k) acc += x[row * kIn + k] * w[k * kHidden + col];
    h[i] = fmaxf(acc, 0.f);
}

__global__ void output_layer(const float* h, const float* w, float* y, int batch, float temperature) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * kOut) return;
    int row = i / kOut, col = i % kOut;
    float acc = 0.f;
    for (int k = 0; k < kHidden; ++k) acc += h[row * kHidden + k] * w[k * kOut + col];
    y[i] = acc / temperature;
}

// Power-of-two size classes over one slab, LIFO free lists.
class SlabPool {
  public:
    explicit SlabPool(size_t bytes) : size_(bytes) { CUDA_OK(cudaMalloc(&base_, bytes)); }
    ~SlabPool() { cudaFree(base_); }
    SlabPool(const SlabPool&) = delete;
    SlabPool& operator=(const SlabPool&) = delete;

    float* take(size_t floats) {
        size_t cls = size_class(floats);
        auto& list = free_[cls];
        if (!list.empty()) {
            float* p = list.back();
            list.pop_back();
            return p;
        }
        if (top_ + cls > size_) {
            std::fprintf(stderr, "pool exhausted\n");
            std::exit(2);
        }
        float* p = reinterpret_cast<float*>(base_ + top_);
        top_ += cls;
        return p;
    }
    void give(float* p, size_t floats) { free_[size_class(floats)].push_back(p); }

  private:
    static size_t size_class(size_t floats) {
        size_t c = 256;
        while (c < floats * sizeof(float)) c <<= 1;
        return c;
    }
    char* base_ = nullptr;
    size_t size_ = 0, top_ = 0;
    std::map<size_t, std::vector<float*>> free_;
};

// Session vectors which clients pin on the device between requests.
class SessionStore {
  public:
    explicit SessionStore(SlabPool& pool) : pool_(pool) {}
    void pin(int id, const std::vector<float>& v) {
        float* p = pool_.take(v.size());
        CUDA_OK(cudaMemcpy(p, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice));
        table_[id] = {p, v.size()};
    }
    std::vector<float> read(int id) const {
        const auto& e = table_.at(id);
        std::vector<float> v(e.second);
        CUDA_OK(cudaMemcpy(v.data(), e.first, v.size() * sizeof(float), cudaMemcpyDeviceToHost));
        return v;
    }

  private:
    SlabPool& pool_;
    std::unordered_map<int, std::pair<float*, size_t>> table_;
};

class Engine {
  public:
    Engine(SlabPool& pool, const std::vector<float>& w1, const std::vector<float>& w2) : pool_(pool) {
        CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        w1_ = upload(w1);
        w2_ = upload(w2);
        x_ = pool_.take(kMaxBatch * kIn);
        y_ = pool_.take(kMaxBatch * kOut);
        CUDA_OK(cudaMallocHost(&host_in_, kMaxBatch * kIn * sizeof(float)));
        CUDA_OK(cudaMallocHost(&host_out_, kMaxBatch * kOut * sizeof(float)));
    }
    ~Engine() {
        drop_graphs();
        cudaFreeHost(host_in_);
        cudaFreeHost(host_out_);
        cudaStreamDestroy(stream_);
    }

    void set_temperature(float t) { temperature_ = t; }
    size_t cached_graphs() const { return cache_.size(); }

    std::vector<std::vector<float>> infer(const std::vector<std::vector<float>>& requests) {
        int batch = 4;
        while (batch < (int)requests.size()) batch *= 2;
        std::memset(host_in_, 0, kMaxBatch * kIn * sizeof(float));
        for (size_t i = 0; i < requests.size(); ++i)
            std::memcpy(host_in_ + i * kIn, requests[i].data(), kIn * sizeof(float));
        reserve_workspace((size_t)batch * kHidden);
        auto it = cache_.find(batch);
        if (it == cache_.end()) it = cache_.emplace(batch, record(batch)).first;
        CUDA_OK(cudaGraphLaunch(it->second, stream_));
        CUDA_OK(cudaStreamSynchronize(stream_));
        std::vector<std::vector<float>> out;
        for (size_t i = 0; i < requests.size(); ++i)
            out.emplace_back(host_out_ + i * kOut, host_out_ + (i + 1) * kOut);
        return out;
    }

  private:
    float* upload(const std::vector<float>& v) {
        float* p = pool_.take(v.size());
        CUDA_OK(cudaMemcpy(p, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice));
        return p;
    }

    void drop_graphs() {
        for (auto& kv : cache_) cudaGraphExecDestroy(kv.second);
        cache_.clear();
    }

    // The workspace holds hidden activations and follows the largest batch seen so far.
    void reserve_workspace(size_t floats) {
        if (floats <= ws_floats_) return;
        if (ws_) pool_.give(ws_, ws_floats_);  // HAZARD dangling #ws
        ws_ = pool_.take(floats);
        ws_floats_ = floats;
    }

    cudaGraphExec_t record(int batch) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        const int threads = 128;
        CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        CUDA_OK(cudaMemcpyAsync(x_, host_in_, batch * kIn * sizeof(float), cudaMemcpyHostToDevice, stream_));
        hidden_layer<<<(batch * kHidden + threads - 1) / threads, threads, 0, stream_>>>(x_, w1_, ws_, batch);  // HAZARD dangling #ws
        output_layer<<<(batch * kOut + threads - 1) / threads, threads, 0, stream_>>>(ws_, w2_, y_, batch, temperature_);  // HAZARD frozen
        CUDA_OK(cudaMemcpyAsync(host_out_, y_, batch * kOut * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        CUDA_OK(cudaStreamEndCapture(stream_, &graph));
        CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
        CUDA_OK(cudaGraphDestroy(graph));
        return exec;
    }

    SlabPool& pool_;
    cudaStream_t stream_ = nullptr;
    float *w1_ = nullptr, *w2_ = nullptr, *x_ = nullptr, *y_ = nullptr, *ws_ = nullptr;
    size_t ws_floats_ = 0;
    float *host_in_ = nullptr, *host_out_ = nullptr;
    float temperature_ = 1.f;
    std::unordered_map<int, cudaGraphExec_t> cache_;
};

}  // namespace serve

static std::vector<float> reference(const std::vector<float>& x, const std::vector<float>& w1,
                                    const std::vector<float>& w2, float temperature) {
    std::vector<float> h(serve::kHidden), y(serve::kOut);
    for (int c = 0; c < serve::kHidden; ++c) {
        float acc = 0.f;
        for (int k = 0; k < serve::kIn; ++k) acc += x[k] * w1[k * serve::kHidden + c];
        h[c] = std::max(acc, 0.f);
    }
    for (int c = 0; c < serve::kOut; ++c) {
        float acc = 0.f;
        for (int k = 0; k < serve::kHidden; ++k) acc += h[k] * w2[k * serve::kOut + c];
        y[c] = acc / temperature;
    }
    return y;
}

static bool close_to(const std::vector<float>& a, const std::vector<float>& b) {
    for (size_t i = 0; i < a.size(); ++i)
        if (std::fabs(a[i] - b[i]) > 1e-3f * (1.f + std::fabs(b[i]))) return false;
    return a.size() == b.size();
}

int main() {
    std::vector<float> w1(serve::kIn * serve::kHidden), w2(serve::kHidden * serve::kOut);
    for (size_t i = 0; i < w1.size(); ++i) w1[i] = std::sin(0.37f * i);
    for (size_t i = 0; i < w2.size(); ++i) w2[i] = std::cos(0.11f * i);
    auto make = [](int n, float seed) {
        std::vector<std::vector<float>> r(n, std::vector<float>(serve::kIn));
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < serve::kIn; ++k) r[i][k] = std::sin(seed + i * 1.3f + k * 0.7f);
        return r;
    };

    serve::SlabPool pool(1 << 20);
    serve::SessionStore sessions(pool);
    serve::Engine engine(pool, w1, w2);

    bool plain = true;
    for (int n : {3, 4, 2}) {
        auto req = make(n, 0.1f * n);
        auto out = engine.infer(req);
        for (int i = 0; i < n; ++i) plain &= close_to(out[i], reference(req[i], w1, w2, 1.f));
    }
    auto big = make(9, 2.f);
    auto big_out = engine.infer(big);
    for (int i = 0; i < 9; ++i) plain &= close_to(big_out[i], reference(big[i], w1, w2, 1.f));

    std::vector<float> profile(4 * serve::kHidden, -5.f);
    sessions.pin(7, profile);
    engine.infer(make(4, 3.f));
    bool session_intact = close_to(sessions.read(7), profile);

    engine.set_temperature(0.25f);
    auto req = make(4, 4.f);
    auto out = engine.infer(req);
    bool tempered = true;
    for (int i = 0; i < 4; ++i) tempered &= close_to(out[i], reference(req[i], w1, w2, 0.25f));

    std::printf("plain=%d session=%d tempered=%d graphs=%zu\n", plain, session_intact, tempered, engine.cached_graphs());
    bool pass = plain && !session_intact && !tempered;
    std::puts(pass ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
