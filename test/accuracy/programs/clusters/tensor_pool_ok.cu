// Tensors with shared storage on top of a caching allocator; an inference graph is captured once and replayed.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define CUDA_TRY(expr)                                                                          \
  do {                                                                                          \
    const cudaError_t e_ = (expr);                                                              \
    if (e_ != cudaSuccess) throw std::runtime_error(std::string(#expr ": ") + cudaGetErrorString(e_)); \
  } while (0)

// Keeps released blocks for reuse. All users work on one stream, so reuse is ordered by that stream.
class BlockCache {
 public:
  ~BlockCache() {
    for (auto& [size, ptr] : free_) cudaFree(ptr);
  }
  void* acquire(size_t bytes) {
    if (auto it = free_.find(bytes); it != free_.end()) {
      void* ptr = it->second;
      free_.erase(it);
      return ptr;
    }
    void* ptr = nullptr;
    CUDA_TRY(cudaMalloc(&ptr, bytes));
    return ptr;
  }
  void release(void* ptr, size_t bytes) { free_.emplace(bytes, ptr); }
  static size_t rounded(size_t bytes) { return (bytes + 511) / 512 * 512; }

 private:
  std::multimap<size_t, void*> free_;
};

struct Storage {
  Storage(BlockCache& c, size_t n) : cache(c), bytes(BlockCache::rounded(n)), ptr(c.acquire(bytes)) {}
  ~Storage() { cache.release(ptr, bytes); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  BlockCache& cache;
  size_t bytes;
  void* ptr;
};

class Tensor {
 public:
  Tensor() = default;
  static Tensor empty(BlockCache& cache, size_t n) {
    Tensor t;
    t.storage_ = std::make_shared<Storage>(cache, n * sizeof(float));
    t.size_ = n;
    return t;
  }
  Tensor view(size_t first, size_t count) const {
    Tensor t = *this;
    t.offset_ += first;
    t.size_ = count;
    return t;
  }
  float* data() const { return static_cast<float*>(storage_->ptr) + offset_; }
  size_t size() const { return size_; }

 private:
  std::shared_ptr<Storage> storage_;
  size_t offset_ = 0;
  size_t size_ = 0;
};

__global__ void fill_ramp(float* x, int n, float base, int period) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = base + i % period;
}

__global__ void relu_affine(const float* x, float* h, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    h[i] = fmaxf(0.0f, 2.0f * x[i] - 3.0f);
}

__global__ void add_tail(const float* h, const float* tail, int tail_size, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = h[i] + tail[i % tail_size];
}

class CaptureScope {
 public:
  explicit CaptureScope(cudaStream_t s) : stream_(s) {
    CUDA_TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    open_ = true;
  }
  ~CaptureScope() {
    cudaGraph_t graph = nullptr;
    if (open_ && cudaStreamEndCapture(stream_, &graph) == cudaSuccess && graph) cudaGraphDestroy(graph);
  }
  cudaGraph_t finish() {
    cudaGraph_t graph = nullptr;
    open_ = false;
    CUDA_TRY(cudaStreamEndCapture(stream_, &graph));
    return graph;
  }

 private:
  cudaStream_t stream_;
  bool open_ = false;
};

class Mlp {
 public:
  Mlp(BlockCache& cache, cudaStream_t stream) : cache_(cache), stream_(stream) {}
  ~Mlp() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  Tensor forward(const Tensor& x, std::vector<Tensor>* keep = nullptr) {
    const int n = static_cast<int>(x.size());
    Tensor hidden = Tensor::empty(cache_, x.size());
    relu_affine<<<4, 128, 0, stream_>>>(x.data(), hidden.data(), n);
    Tensor tail = hidden.view(n / 2, n / 2);
    Tensor y = Tensor::empty(cache_, x.size());
    add_tail<<<4, 128, 0, stream_>>>(hidden.data(), tail.data(), n / 2, y.data(), n);
    if (keep) keep->push_back(tail);
    return y;
  }

  // One eager run first: afterwards the cache owns blocks of every size that the capture asks for.
  void compile(const Tensor& x) {
    { Tensor warm = forward(x); }
    CUDA_TRY(cudaStreamSynchronize(stream_));
    CaptureScope scope(stream_);
    output_ = forward(x, &workspace_);
    cudaGraph_t graph = scope.finish();
    const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    CUDA_TRY(made);
  }

  const Tensor& replay() {
    CUDA_TRY(cudaGraphLaunch(exec_, stream_));
    return output_;
  }

 private:
  BlockCache& cache_;
  cudaStream_t stream_;
  Tensor output_;
  std::vector<Tensor> workspace_;
  cudaGraphExec_t exec_ = nullptr;
};

static std::vector<float> to_host(const Tensor& t, cudaStream_t s) {
  std::vector<float> v(t.size());
  CUDA_TRY(cudaMemcpyAsync(v.data(), t.data(), v.size() * sizeof(float), cudaMemcpyDeviceToHost, s));
  CUDA_TRY(cudaStreamSynchronize(s));
  return v;
}

static bool serve(cudaStream_t stream) {
  constexpr int n = 4096;
  BlockCache cache;
  Tensor input = Tensor::empty(cache, n);
  fill_ramp<<<4, 128, 0, stream>>>(input.data(), n, 0.0f, 7);
  Mlp mlp(cache, stream);
  mlp.compile(input);

  Tensor baseline = Tensor::empty(cache, n);  // kept for drift detection while requests are served
  fill_ramp<<<4, 128, 0, stream>>>(baseline.data(), n, 100.0f, 9);

  bool good = true;
  for (int request = 0; request < 5; ++request) {
    fill_ramp<<<4, 128, 0, stream>>>(input.data(), n, float(request), 7);
    const std::vector<float> y = to_host(mlp.replay(), stream);
    auto hidden = [&](int i) { return std::max(0.0f, 2.0f * (request + i % 7) - 3.0f); };
    for (int i = 0; i < n; ++i) good = good && y[i] == hidden(i) + hidden(n / 2 + i % (n / 2));
  }
  const std::vector<float> kept = to_host(baseline, stream);
  for (int i = 0; i < n; ++i) good = good && kept[i] == 100.0f + i % 9;
  return good;
}

int main() {
  bool good = false;
  cudaStream_t stream = nullptr;
  try {
    CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    good = serve(stream);
    CUDA_TRY(cudaStreamDestroy(stream));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    good = false;
  }
  std::puts(good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
