// Decode runtime: growing KV cache and one graph per batch size.
#include <cuda_runtime.h>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rt {

constexpr int kMaxBatch = 8;

inline void ok(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

__global__ void embed(const int* tokens, float* act, int pos) {
    int b = threadIdx.x;
    act[b] = tokens[b] + 100.0f * pos;
}
__global__ void append(float* kv, const float* act, const int* len) { kv[*len * kMaxBatch + threadIdx.x] = act[threadIdx.x]; }
__global__ void attend(const float* kv, float* out, int* len) {
    float sum = 0.0f;
    for (int p = 0; p <= *len; ++p) sum += kv[p * kMaxBatch + threadIdx.x];
    out[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) *len += 1;
}

class KvCache {
public:
    explicit KvCache(int capacity) : capacity_(capacity) { ok(cudaMalloc(&data_, bytes(capacity))); }
    ~KvCache() { cudaFree(data_); }
    KvCache(const KvCache&) = delete;
    KvCache& operator=(const KvCache&) = delete;
    float* data() const { return data_; }
    void reserve(int needed, cudaStream_t s) {
        if (needed <= capacity_) return;
        float* bigger = nullptr;
        const int grown = capacity_ * 2;
        ok(cudaMalloc(&bigger, bytes(grown)));
        ok(cudaMemcpyAsync(bigger, data_, bytes(capacity_), cudaMemcpyDeviceToDevice, s));
        ok(cudaStreamSynchronize(s));
        ok(cudaFree(data_));
        data_ = bigger;
        capacity_ = grown;
    }
private:
    static std::size_t bytes(int positions) { return sizeof(float) * kMaxBatch * positions; }
    float* data_ = nullptr;
    int capacity_;
};

struct ExecDeleter {
    void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using Exec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

class Decoder {
public:
    explicit Decoder(int capacity) : cache_(capacity) {
        ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        ok(cudaMalloc(&tokens_, kMaxBatch * sizeof(int)));
        ok(cudaMalloc(&act_, kMaxBatch * sizeof(float)));
        ok(cudaMalloc(&out_, kMaxBatch * sizeof(float)));
        ok(cudaMalloc(&len_, sizeof(int)));
        ok(cudaMemset(len_, 0, sizeof(int)));
        ok(cudaDeviceSynchronize());
    }
    ~Decoder() {
        graphs_.clear();
        for (void* p : {(void*)tokens_, (void*)act_, (void*)out_, (void*)len_}) cudaFree(p);
        cudaStreamDestroy(stream_);
    }

    std::vector<float> decode(const std::vector<int>& tokens) {
        const int batch = static_cast<int>(tokens.size());
        cache_.reserve(pos_ + 1, stream_);
        auto& exec = graphs_[batch];
        if (!exec) exec = build(batch);
        std::vector<float> out(batch);
        ok(cudaMemcpyAsync(tokens_, tokens.data(), batch * sizeof(int), cudaMemcpyHostToDevice, stream_));
        ok(cudaGraphLaunch(exec.get(), stream_));
        ok(cudaMemcpyAsync(out.data(), out_, batch * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        ok(cudaStreamSynchronize(stream_));
        ++pos_;
        return out;
    }
    float cached(int pos, int b) const {
        float v = 0.0f;
        ok(cudaMemcpy(&v, cache_.data() + pos * kMaxBatch + b, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }

private:
    Exec build(int batch) {
        cudaGraph_t g = nullptr;
        cudaGraphExec_t e = nullptr;
        ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        embed<<<1, batch, 0, stream_>>>(tokens_, act_, pos_); // HAZARD frozen
        append<<<1, batch, 0, stream_>>>(cache_.data(), act_, len_); // HAZARD dangling #kv
        attend<<<1, batch, 0, stream_>>>(cache_.data(), out_, len_); // HAZARD dangling #kv
        ok(cudaStreamEndCapture(stream_, &g));
        ok(cudaGraphInstantiate(&e, g, 0));
        ok(cudaGraphDestroy(g));
        return Exec(e);
    }

    KvCache cache_;
    cudaStream_t stream_ = nullptr;
    int* tokens_ = nullptr;
    float* act_ = nullptr;
    float* out_ = nullptr;
    int* len_ = nullptr;
    int pos_ = 0;
    std::map<int, Exec> graphs_;
};

}  // namespace rt

int main() {
    float second = -1.0f, third = -1.0f, stored = -1.0f;
    bool threw = false;
    try {
        rt::Decoder decoder(2);
        decoder.decode({1, 2});
        second = decoder.decode({1, 2})[0];
        third = decoder.decode({1, 2})[0];
        stored = decoder.cached(2, 0);
    } catch (const std::exception& e) {
        std::printf("decode: %s\n", e.what());
        threw = true;
    }
    bool confirmed = second == 2.0f && (threw || stored != 201.0f);
    std::printf("%s: %g %g %g\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", second, third, stored);
    return 0;
}
