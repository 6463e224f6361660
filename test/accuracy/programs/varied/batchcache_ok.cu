// Dynamic batching: graphs are cached by padded batch size, requests are packed in arrival order.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace batching {

inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

constexpr int kFeatures = 64;
constexpr int kMaxBatch = 32;

struct Request {
  float value;
};

class Batch {
 public:
  void push(const Request& r) { requests_.push_back(r); }
  std::size_t size() const noexcept { return requests_.size(); }
  std::vector<float> pack() const {
    std::vector<float> x;
    x.reserve(requests_.size() * kFeatures);
    for (const Request& r : requests_) x.insert(x.end(), kFeatures, r.value);
    return x;
  }

 private:
  std::vector<Request> requests_;
};

inline int padded(std::size_t n) {
  int p = 4;
  while (std::size_t(p) < n) p *= 2;
  return p;
}

__global__ void scoreRows(const float* x, float* y, const int* rows) {
  if (int(blockIdx.x) >= *rows) return;
  float sum = 0.0f;
  for (int f = threadIdx.x; f < kFeatures; f += 32) sum += x[blockIdx.x * kFeatures + f];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

class Scorer {
 public:
  Scorer() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    check(cudaMalloc(&staging_, kMaxBatch * kFeatures * sizeof(float)), "staging");
    check(cudaMalloc(&input_, kMaxBatch * kFeatures * sizeof(float)), "input");
    check(cudaMalloc(&score_, kMaxBatch * sizeof(float)), "score");
    check(cudaMemset(input_, 0, kMaxBatch * kFeatures * sizeof(float)), "input");
    check(cudaMalloc(&rows_, sizeof(int)), "rows");
    check(cudaDeviceSynchronize(), "setup");
  }
  ~Scorer() {
    for (auto& [size, exec] : cache_) cudaGraphExecDestroy(exec);
    cudaFree(staging_);
    cudaFree(input_);
    cudaFree(score_);
    cudaFree(rows_);
    cudaStreamDestroy(stream_);
  }

  std::vector<float> score(const Batch& batch) {
    const std::vector<float> x = batch.pack();
    check(cudaMemcpyAsync(staging_, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice, stream_), "pack");
    const int rows = int(batch.size());
    check(cudaMemcpyAsync(rows_, &rows, sizeof rows, cudaMemcpyHostToDevice, stream_), "rows");
    check(cudaMemsetAsync(score_, 0, kMaxBatch * sizeof(float), stream_), "clear");
    const int bucket = padded(batch.size());
    auto [slot, fresh] = cache_.try_emplace(bucket, nullptr);
    if (fresh) slot->second = record(bucket);
    check(cudaGraphLaunch(slot->second, stream_), "launch");
    std::vector<float> y(batch.size());
    check(cudaMemcpyAsync(y.data(), score_, y.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_), "scores");
    check(cudaStreamSynchronize(stream_), "batch");
    return y;
  }

 private:
  cudaGraphExec_t record(int bucket) {
    const std::size_t bytes = std::size_t(bucket) * kFeatures * sizeof(float);
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    check(cudaMemcpyAsync(input_, staging_, bytes, cudaMemcpyDeviceToDevice, stream_), "stage");
    scoreRows<<<unsigned(bucket), 32, 0, stream_>>>(input_, score_, rows_);
    const cudaError_t launched = cudaGetLastError();
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_, &graph), "end");
    check(launched, "kernel");
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    check(cudaGraphDestroy(graph), "graph");
    return exec;
  }

  cudaStream_t stream_ = nullptr;
  float *staging_ = nullptr, *input_ = nullptr, *score_ = nullptr;
  int* rows_ = nullptr;
  std::unordered_map<int, cudaGraphExec_t> cache_;
};

}  // namespace batching

int main() {
  try {
    batching::Scorer scorer;
    bool right = true;
    for (int n : {5, 8, 3, 4, 6}) {
      batching::Batch batch;
      for (int i = 0; i < n; ++i) batch.push({float(i + n)});
      const std::vector<float> y = scorer.score(batch);
      for (int i = 0; i < n; ++i) right = right && std::fabs(y[i] - 64.0f * float(i + n)) < 1e-2f;
    }
    std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
