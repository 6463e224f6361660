// Minimal tensor library: ref-counted storages over a caching allocator, and a graphed module wrapper.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define TORCHLET_CHECK(expr)                                                                       \
  do {                                                                                             \
    cudaError_t st = (expr);                                                                       \
    if (st != cudaSuccess) throw std::runtime_error(std::string(#expr) + ": " + cudaGetErrorString(st)); \
  } while (0)

namespace tl {

class CachingAllocator {
 public:
  static CachingAllocator& get() {
    static CachingAllocator a;
    return a;
  }
  float* take(size_t n) {
    auto it = free_.lower_bound(n);
    if (it != free_.end() && it->first == n) {
      float* p = it->second;
      free_.erase(it);
      return p;
    }
    float* p = nullptr;
    TORCHLET_CHECK(cudaMalloc(&p, n * sizeof(float)));
    owned_.push_back(p);
    return p;
  }
  void give(float* p, size_t n) { free_.emplace(n, p); }
  void release_all() {
    for (float* p : owned_) cudaFree(p);
    owned_.clear();
    free_.clear();
  }

 private:
  std::multimap<size_t, float*> free_;
  std::vector<float*> owned_;
};

struct Storage {
  float* ptr;
  size_t n;
  explicit Storage(size_t n_) : ptr(CachingAllocator::get().take(n_)), n(n_) {}
  ~Storage() { CachingAllocator::get().give(ptr, n); }
  Storage(const Storage&) = delete;
};

class Tensor {
 public:
  Tensor() = default;
  static Tensor empty(size_t n) {
    Tensor t;
    t.s_ = std::make_shared<Storage>(n);
    return t;
  }
  float* data() const { return s_->ptr; }
  size_t numel() const { return s_->n; }

 private:
  std::shared_ptr<Storage> s_;
};

__global__ void k_scale(const float* x, float* y, int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
__global__ void k_shift(const float* x, float* y, int n, float b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + b;
}
__global__ void k_fill(float* y, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = v;
}
inline int grid(size_t n) { return int((n + 127) / 128); }

void fill_(Tensor& t, float v, cudaStream_t s) { k_fill<<<grid(t.numel()), 128, 0, s>>>(t.data(), int(t.numel()), v); }

struct Affine {
  float a = 3.f, b = 1.f;
  Tensor forward(const Tensor& x, cudaStream_t s) const {
    Tensor h = Tensor::empty(x.numel());  // HAZARD dangling
    k_scale<<<grid(x.numel()), 128, 0, s>>>(x.data(), h.data(), int(x.numel()), a);
    Tensor y = Tensor::empty(x.numel());
    k_shift<<<grid(x.numel()), 128, 0, s>>>(h.data(), y.data(), int(x.numel()), b);
    return y;
  }
};

class GraphedModule {
 public:
  GraphedModule(Affine m, size_t n, cudaStream_t s) : module_(m), stream_(s), input_(Tensor::empty(n)) {
    fill_(input_, 0.f, stream_);
    {
      Tensor warm = module_.forward(input_, stream_);
    }
    TORCHLET_CHECK(cudaStreamSynchronize(stream_));
    cudaGraph_t g = nullptr;
    TORCHLET_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    try {
      output_ = module_.forward(input_, stream_);
    } catch (...) {
      cudaStreamEndCapture(stream_, &g);
      throw;
    }
    TORCHLET_CHECK(cudaStreamEndCapture(stream_, &g));
    TORCHLET_CHECK(cudaGraphInstantiateWithFlags(&exec_, g, 0));
    TORCHLET_CHECK(cudaGraphDestroy(g));
  }
  ~GraphedModule() { if (exec_) cudaGraphExecDestroy(exec_); }
  GraphedModule(const GraphedModule&) = delete;

  const Tensor& operator()(float v) {
    fill_(input_, v, stream_);
    TORCHLET_CHECK(cudaGraphLaunch(exec_, stream_));
    return output_;
  }

 private:
  Affine module_;
  cudaStream_t stream_;
  Tensor input_, output_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace tl

static bool constant(const tl::Tensor& t, float v, cudaStream_t s) {
  std::vector<float> h(t.numel());
  TORCHLET_CHECK(cudaMemcpyAsync(h.data(), t.data(), h.size() * sizeof(float), cudaMemcpyDeviceToHost, s));
  TORCHLET_CHECK(cudaStreamSynchronize(s));
  for (float x : h) if (std::fabs(x - v) > 1e-5f) return false;
  return true;
}

int main() {
  bool confirmed = false;
  try {
    const size_t n = 5000;
    cudaStream_t s;
    TORCHLET_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    {
      tl::GraphedModule m({}, n, s);
      const bool r1 = constant(m(2.f), 7.f, s);
      const bool r2 = constant(m(-1.f), -2.f, s);
      tl::Tensor momentum = tl::Tensor::empty(n);
      tl::fill_(momentum, 0.25f, s);
      const bool seeded = constant(momentum, 0.25f, s);
      const bool r3 = constant(m(4.f), 13.f, s);
      const bool intact = constant(momentum, 0.25f, s);
      std::printf("replays %d %d %d momentum %d -> %d\n", r1, r2, r3, seeded, intact);
      confirmed = r1 && r2 && r3 && seeded && !intact;
    }
    tl::CachingAllocator::get().release_all();
    TORCHLET_CHECK(cudaStreamDestroy(s));
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
  return confirmed ? 0 : 1;
}
