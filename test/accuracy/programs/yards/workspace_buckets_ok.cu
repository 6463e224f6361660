// Inference plug-in: ops with workspaces, a caching block allocator and one recorded graph per batch bucket.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#define CUDA_OK(expr)                                                                     \
  do {                                                                                    \
    cudaError_t status_ = (expr);                                                         \
    if (status_ != cudaSuccess) {                                                         \
      std::printf("%s:%d %s\nLABEL WRONG\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

// Blocks are never returned to the driver; a request takes the smallest cached block that fits.
class BlockAllocator {
 public:
  ~BlockAllocator() {
    for (auto& kv : sizes_) cudaFree(kv.first);
  }
  void* allocate(size_t bytes) {
    bytes = (bytes + 511) / 512 * 512;
    auto it = cached_.lower_bound(bytes);
    if (it != cached_.end() && it->first <= 2 * bytes) {
      void* p = it->second;
      cached_.erase(it);
      return p;
    }
    void* p = nullptr;
    CUDA_OK(cudaMalloc(&p, bytes));
    sizes_[p] = bytes;
    return p;
  }
  void release(void* p) {
    if (p) cached_.emplace(sizes_.at(p), p);
  }

 private:
  std::unordered_map<void*, size_t> sizes_;
  std::multimap<size_t, void*> cached_;
};

struct Shape {
  int batch, hidden;
  int numel() const { return batch * hidden; }
};

struct Bindings {
  const float* input;
  float* output;
};

__global__ void row_sum(const float* x, float* sums, int hidden) {
  __shared__ float part[64];
  float acc = 0.f;
  for (int c = threadIdx.x; c < hidden; c += blockDim.x) acc += x[blockIdx.x * hidden + c];
  part[threadIdx.x] = acc;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < hidden; c += blockDim.x) sums[blockIdx.x * hidden + c] = part[0] / hidden;
}

__global__ void subtract_mean(const float* x, const float* mean, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] - mean[i];
}

__global__ void relu_inplace(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && y[i] < 0.f) y[i] = 0.f;
}

class Op {
 public:
  virtual ~Op() = default;
  virtual size_t workspaceBytes(const Shape& s) const = 0;
  virtual void enqueue(const Shape& s, const Bindings& b, void* workspace, cudaStream_t stream) = 0;
};

class CenterRows final : public Op {
 public:
  size_t workspaceBytes(const Shape& s) const override { return s.numel() * sizeof(float); }
  void enqueue(const Shape& s, const Bindings& b, void* workspace, cudaStream_t stream) override {
    float* mean = static_cast<float*>(workspace);
    row_sum<<<s.batch, 64, 0, stream>>>(b.input, mean, s.hidden);
    CUDA_OK(cudaGetLastError());
    subtract_mean<<<(s.numel() + 255) / 256, 256, 0, stream>>>(b.input, mean, b.output, s.numel());
    CUDA_OK(cudaGetLastError());
  }
};

class Relu final : public Op {
 public:
  size_t workspaceBytes(const Shape&) const override { return 0; }
  void enqueue(const Shape& s, const Bindings& b, void*, cudaStream_t stream) override {
    relu_inplace<<<(s.numel() + 255) / 256, 256, 0, stream>>>(b.output, s.numel());
    CUDA_OK(cudaGetLastError());
  }
};

class Workspace {
 public:
  explicit Workspace(BlockAllocator& alloc) : alloc_(alloc) {}
  ~Workspace() { alloc_.release(ptr_); }
  bool fits(size_t bytes) const { return bytes <= capacity_; }
  void grow(size_t bytes) {
    alloc_.release(ptr_);
    ptr_ = alloc_.allocate(bytes);
    capacity_ = bytes;
  }
  void* get() const { return ptr_; }

 private:
  BlockAllocator& alloc_;
  void* ptr_ = nullptr;
  size_t capacity_ = 0;
};

class GraphRunner {
 public:
  GraphRunner(BlockAllocator& alloc, int hidden, int maxBatch) : hidden_(hidden), workspace_(alloc) {
    CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CUDA_OK(cudaMalloc(&in_, size_t(maxBatch) * hidden * sizeof(float)));
    CUDA_OK(cudaMalloc(&out_, size_t(maxBatch) * hidden * sizeof(float)));
    ops_.push_back(std::make_unique<CenterRows>());
    ops_.push_back(std::make_unique<Relu>());
  }
  ~GraphRunner() {
    for (auto& kv : graphs_) cudaGraphExecDestroy(kv.second);
    cudaFree(in_);
    cudaFree(out_);
    cudaStreamDestroy(stream_);
  }

  std::vector<float> run(const std::vector<float>& x) {
    const Shape shape{int(x.size()) / hidden_, hidden_};
    reserve(shape);
    auto it = graphs_.find(shape.batch);
    if (it == graphs_.end()) it = graphs_.emplace(shape.batch, record(shape)).first;
    const size_t bytes = x.size() * sizeof(float);
    std::vector<float> y(x.size());
    CUDA_OK(cudaMemcpyAsync(in_, x.data(), bytes, cudaMemcpyHostToDevice, stream_));
    CUDA_OK(cudaGraphLaunch(it->second, stream_));
    CUDA_OK(cudaMemcpyAsync(y.data(), out_, bytes, cudaMemcpyDeviceToHost, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
    return y;
  }

 private:
  void reserve(const Shape& shape) {
    size_t need = 0;
    for (auto& op : ops_) need = std::max(need, op->workspaceBytes(shape));
    if (workspace_.fits(need)) return;
    dropGraphs();
    workspace_.grow(need);
  }

  // Every recorded bucket refers to the current workspace block; they are recorded again on demand.
  void dropGraphs() {
    CUDA_OK(cudaStreamSynchronize(stream_));
    for (auto& kv : graphs_) CUDA_OK(cudaGraphExecDestroy(kv.second));
    graphs_.clear();
  }

  cudaGraphExec_t record(const Shape& shape) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (auto& op : ops_) op->enqueue(shape, Bindings{in_, out_}, workspace_.get(), stream_);
    CUDA_OK(cudaStreamEndCapture(stream_, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_OK(cudaGraphDestroy(graph));
    return exec;
  }

  int hidden_;
  Workspace workspace_;
  std::vector<std::unique_ptr<Op>> ops_;
  std::map<int, cudaGraphExec_t> graphs_;
  cudaStream_t stream_ = nullptr;
  float *in_ = nullptr, *out_ = nullptr;
};

// Token embeddings that stay resident on the device between requests.
class EmbeddingCache {
 public:
  EmbeddingCache(BlockAllocator& alloc, int n, float value) : alloc_(alloc), host_(n, value) {
    data_ = static_cast<float*>(alloc_.allocate(n * sizeof(float)));
    CUDA_OK(cudaMemcpy(data_, host_.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaDeviceSynchronize());
  }
  ~EmbeddingCache() { alloc_.release(data_); }
  bool intact() const {
    std::vector<float> now(host_.size());
    CUDA_OK(cudaMemcpy(now.data(), data_, now.size() * sizeof(float), cudaMemcpyDeviceToHost));
    return now == host_;
  }

 private:
  BlockAllocator& alloc_;
  std::vector<float> host_;
  float* data_ = nullptr;
};

static std::vector<float> request(int batch, int hidden, int seed) {
  std::vector<float> x(size_t(batch) * hidden);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float((i * 7 + seed * 13) % 32);
  return x;
}

static bool verify(const std::vector<float>& x, const std::vector<float>& y, int hidden) {
  for (size_t r = 0; r < x.size() / hidden; ++r) {
    float mean = 0.f;
    for (int c = 0; c < hidden; ++c) mean += x[r * hidden + c];
    mean /= hidden;
    for (int c = 0; c < hidden; ++c)
      if (std::fabs(y[r * hidden + c] - std::fmax(0.f, x[r * hidden + c] - mean)) > 1e-3f) return false;
  }
  return true;
}

int main() {
  constexpr int kHidden = 256;
  BlockAllocator alloc;
  GraphRunner runner(alloc, kHidden, 64);
  bool outputs = true;
  auto serve = [&](int batch, int seed) {
    auto x = request(batch, kHidden, seed);
    outputs = verify(x, runner.run(x), kHidden) && outputs;
  };
  serve(4, 1);
  serve(4, 2);
  serve(32, 3);
  EmbeddingCache cache(alloc, 4 * kHidden, 7.5f);
  const bool before = cache.intact();
  serve(4, 4);
  serve(32, 5);
  serve(4, 6);
  const bool after = cache.intact();
  std::printf("outputs=%d cache before=%d after=%d\n", outputs, before, after);
  std::puts(outputs && before && after ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
