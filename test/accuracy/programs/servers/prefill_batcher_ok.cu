// Prefill pooling stage of an embedding server. Requests arrive as (batch, sequence length); the engine keeps a
// cache of instantiated graphs so that a request shape seen before costs one launch.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#define CUDA_OR_DIE(expr)                                                                       \
  do {                                                                                          \
    cudaError_t err_ = (expr);                                                                  \
    if (err_ != cudaSuccess) {                                                                  \
      std::printf("%s:%d %s\nLABEL UNOBSERVED\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
      std::exit(1);                                                                             \
    }                                                                                           \
  } while (0)

constexpr int kMaxBatch = 8;
constexpr int kMaxLen = 64;
constexpr int kDim = 32;

struct Request {
  int batch;
  int len;
  std::vector<float> tokens;  // batch x len x kDim
};

__global__ void normalize_tokens(const float* in, float* out, const int* len) {
  if (blockIdx.x >= *len) return;
  const int row = blockIdx.y * kMaxLen + blockIdx.x;
  out[row * kDim + threadIdx.x] = in[row * kDim + threadIdx.x] * 0.5f + 1.0f;
}

__global__ void pool_tokens(const float* in, float* out, const int* len) {
  float sum = 0.0f;
  for (int t = 0; t < *len; ++t) sum += in[(blockIdx.x * kMaxLen + t) * kDim + threadIdx.x];
  out[blockIdx.x * kDim + threadIdx.x] = sum / *len;
}

class CachedGraph {
 public:
  explicit CachedGraph(cudaGraphExec_t e) : exec_(e) {}
  ~CachedGraph() { cudaGraphExecDestroy(exec_); }
  CachedGraph(const CachedGraph&) = delete;
  CachedGraph& operator=(const CachedGraph&) = delete;
  void launch(cudaStream_t s) const { CUDA_OR_DIE(cudaGraphLaunch(exec_, s)); }

 private:
  cudaGraphExec_t exec_;
};

class PrefillEngine {
 public:
  PrefillEngine() {
    CUDA_OR_DIE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    const size_t bytes = sizeof(float) * kMaxBatch * kMaxLen * kDim;
    CUDA_OR_DIE(cudaMalloc(&tokens_, bytes));
    CUDA_OR_DIE(cudaMalloc(&hidden_, bytes));
    CUDA_OR_DIE(cudaMemset(hidden_, 0, bytes));
    CUDA_OR_DIE(cudaMalloc(&pooled_, sizeof(float) * kMaxBatch * kDim));
    CUDA_OR_DIE(cudaMalloc(&len_, sizeof(int)));
    CUDA_OR_DIE(cudaDeviceSynchronize());
  }
  ~PrefillEngine() {
    cache_.clear();
    cudaStreamDestroy(stream_);
    cudaFree(tokens_);
    cudaFree(hidden_);
    cudaFree(pooled_);
    cudaFree(len_);
  }

  std::vector<float> embed(const Request& r) {
    stage(r);
    graph_for(r.batch, bucket_of(r.len)).launch(stream_);
    std::vector<float> out(size_t(r.batch) * kDim);
    CUDA_OR_DIE(cudaMemcpyAsync(out.data(), pooled_, out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    CUDA_OR_DIE(cudaStreamSynchronize(stream_));
    return out;
  }
  size_t cached_graphs() const { return cache_.size(); }

 private:
  void stage(const Request& r) {
    for (int b = 0; b < r.batch; ++b)
      CUDA_OR_DIE(cudaMemcpyAsync(tokens_ + size_t(b) * kMaxLen * kDim, r.tokens.data() + size_t(b) * r.len * kDim,
                                  sizeof(float) * r.len * kDim, cudaMemcpyHostToDevice, stream_));
    CUDA_OR_DIE(cudaMemcpyAsync(len_, &r.len, sizeof(int), cudaMemcpyHostToDevice, stream_));
  }

  static int bucket_of(int len) {
    int b = 16;
    while (b < len) b *= 2;
    return b < kMaxLen ? b : kMaxLen;
  }

  // One graph for each (batch, padded length); the true length is read from device memory.
  const CachedGraph& graph_for(int batch, int padded) {
    const std::pair<int, int> key(batch, padded);
    auto it = cache_.find(key);
    if (it != cache_.end()) return *it->second;

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CUDA_OR_DIE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    normalize_tokens<<<dim3(padded, batch), kDim, 0, stream_>>>(tokens_, hidden_, len_);
    pool_tokens<<<batch, kDim, 0, stream_>>>(hidden_, pooled_, len_);
    CUDA_OR_DIE(cudaStreamEndCapture(stream_, &graph));
    CUDA_OR_DIE(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_OR_DIE(cudaGraphDestroy(graph));
    return *cache_.emplace(key, std::make_unique<CachedGraph>(exec)).first->second;
  }

  cudaStream_t stream_ = nullptr;
  float *tokens_ = nullptr, *hidden_ = nullptr, *pooled_ = nullptr;
  int* len_ = nullptr;
  std::map<std::pair<int, int>, std::unique_ptr<CachedGraph>> cache_;
};

static Request make_request(int batch, int len, int salt) {
  Request r{batch, len, std::vector<float>(size_t(batch) * len * kDim)};
  for (size_t i = 0; i < r.tokens.size(); ++i) r.tokens[i] = float((i * 13 + salt) % 97) * (1.0f + i % (len + 1)) * 0.1f;
  return r;
}

static bool matches(const Request& r, const std::vector<float>& got) {
  for (int b = 0; b < r.batch; ++b)
    for (int d = 0; d < kDim; ++d) {
      double sum = 0.0;
      for (int t = 0; t < r.len; ++t) sum += r.tokens[(size_t(b) * r.len + t) * kDim + d] * 0.5 + 1.0;
      const double want = sum / r.len;
      if (std::fabs(got[size_t(b) * kDim + d] - want) > 1e-3 * (1.0 + std::fabs(want))) return false;
    }
  return true;
}

int main() {
  PrefillEngine engine;
  const int shapes[][2] = {{4, 16}, {4, 40}, {2, 24}, {4, 23}, {2, 30}, {4, 16}};
  int wrong = 0, salt = 0;
  for (const auto& s : shapes) {
    const Request r = make_request(s[0], s[1], ++salt * 7);
    const bool ok = matches(r, engine.embed(r));
    std::printf("batch %d len %d: %s\n", r.batch, r.len, ok ? "match" : "MISMATCH");
    wrong += !ok;
  }
  std::printf("%zu graphs cached, %d wrong answers\n", engine.cached_graphs(), wrong);
  std::puts(wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
