// mask_pool: dropout forward pass on top of a small caching allocator, with a CUDAGraph class
// and a counter-based generator, in the manner of a tensor framework.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#define TORCHLET_CHECK(expr)                                                             \
  do {                                                                                   \
    cudaError_t err__ = (expr);                                                          \
    if (err__ != cudaSuccess)                                                            \
      throw std::runtime_error(std::string(#expr) + ": " + cudaGetErrorString(err__));   \
  } while (0)

using PoolId = int;
constexpr PoolId kSharedPool = 0;

class CachingAllocator {
 public:
  void* allocate(size_t bytes) {
    const size_t rounded = (bytes + 511) / 512 * 512;
    auto& cache = free_[active_];
    if (auto it = cache.find(rounded); it != cache.end()) {
      void* p = it->second;
      cache.erase(it);
      return p;
    }
    // Growing a pool while some stream records is fine: the memory is not stream ordered.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    TORCHLET_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    void* p = nullptr;
    const cudaError_t err = cudaMalloc(&p, rounded);
    TORCHLET_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    TORCHLET_CHECK(err);
    owner_[p] = {active_, rounded};
    return p;
  }
  void release(void* p) {
    const auto [pool, bytes] = owner_.at(p);
    free_[pool].emplace(bytes, p);
  }
  PoolId newPool() { return ++last_pool_; }
  PoolId setActivePool(PoolId pool) { return std::exchange(active_, pool); }
  ~CachingAllocator() {
    for (auto& [p, info] : owner_)
      if (cudaFree(p) != cudaSuccess) std::fprintf(stderr, "allocator: free failed\n");
  }

 private:
  std::unordered_map<PoolId, std::multimap<size_t, void*>> free_;
  std::unordered_map<void*, std::pair<PoolId, size_t>> owner_;
  PoolId active_ = kSharedPool;
  PoolId last_pool_ = kSharedPool;
};

class Tensor {
 public:
  Tensor(CachingAllocator& a, int n) : alloc_(&a), n_(n), data_(static_cast<int*>(a.allocate(n * sizeof(int)))) {}
  Tensor(Tensor&& o) noexcept : alloc_(o.alloc_), n_(o.n_), data_(std::exchange(o.data_, nullptr)) {}
  Tensor(const Tensor&) = delete;
  ~Tensor() { if (data_) alloc_->release(data_); }
  int* data() const { return data_; }
  int size() const { return n_; }
  std::vector<int> cpu(cudaStream_t s) const {
    std::vector<int> h(n_);
    TORCHLET_CHECK(cudaMemcpyAsync(h.data(), data_, n_ * sizeof(int), cudaMemcpyDeviceToHost, s));
    TORCHLET_CHECK(cudaStreamSynchronize(s));
    return h;
  }

 private:
  CachingAllocator* alloc_;
  int n_;
  int* data_;
};

__host__ __device__ inline int keepBit(uint64_t seed, uint64_t counter) {
  uint64_t z = seed + counter * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<int>((z >> 40) & 1);
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : seed_(seed) {
    TORCHLET_CHECK(cudaMalloc(&d_offset_, sizeof(uint64_t)));
  }
  ~Generator() { if (cudaFree(d_offset_) != cudaSuccess) std::fprintf(stderr, "generator: free failed\n"); }
  uint64_t seed() const { return seed_; }
  const uint64_t* deviceOffset() const { return d_offset_; }
  // Publishes the current offset for the work that follows on s and moves past `increment` draws.
  void beginReplay(uint64_t increment, cudaStream_t s) {
    TORCHLET_CHECK(cudaMemcpyAsync(d_offset_, &offset_, sizeof offset_, cudaMemcpyHostToDevice, s));
    TORCHLET_CHECK(cudaStreamSynchronize(s));
    offset_ += increment;
  }

 private:
  uint64_t seed_;
  uint64_t offset_ = 0;
  uint64_t* d_offset_ = nullptr;
};

__global__ void drawMask(int* mask, int n, uint64_t seed, const uint64_t* offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mask[i] = keepBit(seed, *offset + i);
}
__global__ void applyMask(const int* x, const int* mask, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] * mask[i];
}
__global__ void fillIota(int* x, int n, int base, int slope) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = base + slope * i;
}

void dropout(CachingAllocator& alloc, Generator& gen, const Tensor& x, Tensor& y, cudaStream_t s) {
  const int n = x.size(), blocks = (n + 255) / 256;
  Tensor mask(alloc, n);
  drawMask<<<blocks, 256, 0, s>>>(mask.data(), n, gen.seed(), gen.deviceOffset());
  applyMask<<<blocks, 256, 0, s>>>(x.data(), mask.data(), y.data(), n);
}

class CUDAGraph {
 public:
  CUDAGraph(CachingAllocator& a, cudaStream_t s) : alloc_(a), stream_(s) {}
  ~CUDAGraph() {
    if (capturing_) abandon();
    if (exec_ && cudaGraphExecDestroy(exec_) != cudaSuccess) std::fprintf(stderr, "graph: destroy failed\n");
  }
  void captureBegin(PoolId pool) {
    previous_ = alloc_.setActivePool(pool);
    TORCHLET_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    capturing_ = true;
  }
  void captureEnd() {
    cudaGraph_t graph = nullptr;
    capturing_ = false;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    alloc_.setActivePool(previous_);
    TORCHLET_CHECK(ended);
    const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
    TORCHLET_CHECK(cudaGraphDestroy(graph));
    TORCHLET_CHECK(made);
  }
  void replay() { TORCHLET_CHECK(cudaGraphLaunch(exec_, stream_)); }

 private:
  // Reached only when an exception passed between captureBegin() and captureEnd().
  void abandon() {
    cudaGraph_t partial = nullptr;
    if (cudaStreamEndCapture(stream_, &partial) == cudaSuccess && cudaGraphDestroy(partial) != cudaSuccess)
      std::fprintf(stderr, "graph: destroy failed\n");
    alloc_.setActivePool(previous_);
  }

  CachingAllocator& alloc_;
  cudaStream_t stream_;
  bool capturing_ = false;
  cudaGraphExec_t exec_ = nullptr;
  PoolId previous_ = kSharedPool;
};

int run(cudaStream_t s) {
  constexpr int n = 4096, blocks = n / 256;
  CachingAllocator alloc;
  Generator gen(20240611);
  Tensor x(alloc, n), y(alloc, n);
  fillIota<<<blocks, 256, 0, s>>>(x.data(), n, 1, 1);
  CUDAGraph graph(alloc, s);
  graph.captureBegin(alloc.newPool());
  dropout(alloc, gen, x, y, s);
  graph.captureEnd();

  Tensor stats(alloc, n);
  fillIota<<<blocks, 256, 0, s>>>(stats.data(), n, 7000, 3);
  TORCHLET_CHECK(cudaGetLastError());
  int wrong = 0;
  for (int r = 0; r < 4; ++r) {
    gen.beginReplay(n, s);
    graph.replay();
    const std::vector<int> got = y.cpu(s), keep = stats.cpu(s);
    for (int i = 0; i < n; ++i) {
      wrong += got[i] != 2 * (1 + i) * keepBit(gen.seed(), uint64_t(r) * n + i);
      wrong += keep[i] != 7000 + 3 * i;
    }
  }
  return wrong;
}

int main() {
  int wrong = -1;
  try {
    cudaStream_t s = nullptr;
    TORCHLET_CHECK(cudaStreamCreate(&s));
    wrong = run(s);
    TORCHLET_CHECK(cudaStreamDestroy(s));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    wrong = -1;
  }
  std::printf("mismatches: %d\n", wrong);
  std::puts(wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
}
