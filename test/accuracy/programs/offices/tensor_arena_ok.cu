// A miniature tensor runtime (shared storage, caching allocator, stream guard) with a graphed MLP block.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#define TCHECK(expr)                                                                        \
  do {                                                                                      \
    cudaError_t e_ = (expr);                                                                \
    if (e_ != cudaSuccess) {                                                                \
      std::printf("%s: %s\nLABEL UNOBSERVED\n", #expr, cudaGetErrorString(e_));             \
      std::exit(0);                                                                         \
    }                                                                                       \
  } while (0)

namespace mt {

thread_local cudaStream_t tls_stream = nullptr;
cudaStream_t current_stream() { return tls_stream; }

struct StreamGuard {
  explicit StreamGuard(cudaStream_t s) : prev(tls_stream) { tls_stream = s; }
  ~StreamGuard() { tls_stream = prev; }
  cudaStream_t prev;
};

class CachingAllocator {
 public:
  static CachingAllocator& get() {
    static CachingAllocator* a = new CachingAllocator;
    return *a;
  }
  // Blocks of a private pool are recycled only inside the recording that owns it.
  using BlockMap = std::map<size_t, std::vector<void*>>;
  BlockMap* begin_pool(BlockMap* pool) {
    BlockMap* prev = active_;
    active_ = pool;
    return prev;
  }
  void absorb(BlockMap& pool) {
    for (auto& kv : pool)
      for (void* p : kv.second) free_[kv.first].push_back(p);
    pool.clear();
  }
  void* allocate(size_t bytes) {
    auto& list = active_ && !(*active_)[bytes].empty() ? (*active_)[bytes] : free_[bytes];
    if (!list.empty()) {
      void* p = list.back();
      list.pop_back();
      return p;
    }
    void* p = nullptr;
    TCHECK(cudaMalloc(&p, bytes));
    return p;
  }
  void release(void* p, size_t bytes) { (active_ ? *active_ : free_)[bytes].push_back(p); }
  void empty_cache() {
    for (auto& kv : free_)
      for (void* p : kv.second) cudaFree(p);
    free_.clear();
  }

 private:
  BlockMap free_;
  BlockMap* active_ = nullptr;
};

struct Storage {
  explicit Storage(size_t b) : bytes((b + 511) / 512 * 512), data(CachingAllocator::get().allocate(bytes)) {}
  ~Storage() { CachingAllocator::get().release(data, bytes); }
  Storage(const Storage&) = delete;
  size_t bytes;
  void* data;
};

class Tensor {
 public:
  Tensor() = default;
  static Tensor empty(int64_t n) {
    Tensor t;
    t.storage_ = std::make_shared<Storage>(n * sizeof(float));
    t.numel_ = n;
    return t;
  }
  float* data() const { return static_cast<float*>(storage_->data); }
  int64_t numel() const { return numel_; }
  void copy_from_host(const std::vector<float>& v) const {
    TCHECK(cudaMemcpyAsync(data(), v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice, current_stream()));
    TCHECK(cudaStreamSynchronize(current_stream()));
  }
  std::vector<float> to_host() const {
    std::vector<float> v(numel_);
    TCHECK(cudaMemcpyAsync(v.data(), data(), numel_ * sizeof(float), cudaMemcpyDeviceToHost, current_stream()));
    TCHECK(cudaStreamSynchronize(current_stream()));
    return v;
  }

 private:
  std::shared_ptr<Storage> storage_;
  int64_t numel_ = 0;
};

__global__ void affine_relu_k(const float* x, float* y, float w, float b, int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = fmaxf(w * x[i] + b, 0.f);
}
__global__ void residual_k(const float* x, const float* h, float* y, int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] + h[i];
}

Tensor affine_relu(const Tensor& x, float w, float b) {
  Tensor y = Tensor::empty(x.numel());
  affine_relu_k<<<unsigned((x.numel() + 255) / 256), 256, 0, current_stream()>>>(x.data(), y.data(), w, b, x.numel());
  TCHECK(cudaGetLastError());
  return y;
}
Tensor residual(const Tensor& x, const Tensor& h) {
  Tensor y = Tensor::empty(x.numel());
  residual_k<<<unsigned((x.numel() + 255) / 256), 256, 0, current_stream()>>>(x.data(), h.data(), y.data(), x.numel());
  TCHECK(cudaGetLastError());
  return y;
}

class GraphedBlock {
 public:
  explicit GraphedBlock(int64_t n) : in_(Tensor::empty(n)) {}
  ~GraphedBlock() {
    cudaStreamSynchronize(current_stream());
    if (exec_) cudaGraphExecDestroy(exec_);
    CachingAllocator::get().absorb(pool_);
  }
  void warmup() {
    Tensor h = affine_relu(in_, 2.f, 1.f);
    Tensor y = residual(in_, h);
    TCHECK(cudaStreamSynchronize(current_stream()));
  }
  void capture() {
    cudaGraph_t graph = nullptr;
    auto& alloc = CachingAllocator::get();
    auto* prev = alloc.begin_pool(&pool_);
    TCHECK(cudaStreamBeginCapture(current_stream(), cudaStreamCaptureModeThreadLocal));
    {
      Tensor hidden = affine_relu(in_, 2.f, 1.f);
      out_ = residual(in_, hidden);
    }
    TCHECK(cudaStreamEndCapture(current_stream(), &graph));
    alloc.begin_pool(prev);
    TCHECK(cudaGraphInstantiate(&exec_, graph, 0));
    TCHECK(cudaGraphDestroy(graph));
  }
  Tensor replay(const std::vector<float>& x) {
    in_.copy_from_host(x);
    TCHECK(cudaGraphLaunch(exec_, current_stream()));
    return out_;
  }

 private:
  Tensor in_, out_;
  CachingAllocator::BlockMap pool_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace mt

static bool all_close(const std::vector<float>& v, float want) {
  for (float f : v)
    if (std::fabs(f - want) > 1e-5f) return false;
  return true;
}

int main() {
  constexpr int64_t kN = 4096;
  bool outputs_ok = true, running_ok = true;
  cudaStream_t stream;
  TCHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    mt::StreamGuard guard(stream);
    mt::GraphedBlock block(kN);
    block.warmup();
    block.capture();

    // An eager user tensor, created after the capture and kept across the replays.
    mt::Tensor running = mt::Tensor::empty(kN);
    running.copy_from_host(std::vector<float>(kN, -7.f));
    for (int step = 0; step < 4; ++step) {
      float x = 0.5f * step;
      outputs_ok &= all_close(block.replay(std::vector<float>(kN, x)).to_host(), x + 2.f * x + 1.f);
      running_ok &= all_close(running.to_host(), -7.f);
    }
  }
  mt::CachingAllocator::get().empty_cache();
  TCHECK(cudaStreamDestroy(stream));
  std::printf("outputs %s, running statistics %s\n", outputs_ok ? "right" : "wrong", running_ok ? "intact" : "overwritten");
  std::puts(outputs_ok && running_ok ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
