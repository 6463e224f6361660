#include <cuda_runtime.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define NMT_CUDA_CHECK(EXPR)                                                              \
  do {                                                                                    \
    const cudaError_t __err = EXPR;                                                       \
    if (__err != cudaSuccess) {                                                           \
      throw std::runtime_error(std::string("CUDA error: ") + cudaGetErrorString(__err) +  \
                               " at line " + std::to_string(__LINE__));                   \
    }                                                                                     \
  } while (0)

namespace nmt {

class CachingPool {
 public:
  static CachingPool& get() {
    static CachingPool pool;
    return pool;
  }
  void* allocate(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = free_.lower_bound(bytes);
    if (it != free_.end() && it->first == bytes) {
      void* p = it->second;
      free_.erase(it);
      return p;
    }
    void* p = nullptr;
    NMT_CUDA_CHECK(cudaMalloc(&p, bytes));
    return p;
  }
  void release(void* p, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    free_.emplace(bytes, p);
  }
  void empty_cache() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& b : free_) NMT_CUDA_CHECK(cudaFree(b.second));
    free_.clear();
  }

 private:
  std::mutex mutex_;
  std::multimap<size_t, void*> free_;
};

struct TensorImpl {
  explicit TensorImpl(size_t n) : numel(n), data(static_cast<float*>(CachingPool::get().allocate(n * sizeof(float)))) {}
  ~TensorImpl() { CachingPool::get().release(data, numel * sizeof(float)); }
  std::atomic<int> refs{1};
  size_t numel;
  float* data;
};

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(size_t numel) : impl_(new TensorImpl(numel)) {}
  Tensor(const Tensor& o) : impl_(o.impl_) {
    if (impl_) impl_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& o) noexcept : impl_(std::exchange(o.impl_, nullptr)) {}
  Tensor& operator=(Tensor o) noexcept {
    std::swap(impl_, o.impl_);
    return *this;
  }
  ~Tensor() {
    if (impl_ && impl_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete impl_;
  }
  static Tensor from_host(const std::vector<float>& v, cudaStream_t s) {
    Tensor t(v.size());
    t.copy_(v, s);
    return t;
  }
  void copy_(const std::vector<float>& v, cudaStream_t s) {
    NMT_CUDA_CHECK(cudaMemcpyAsync(data(), v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice, s));
    NMT_CUDA_CHECK(cudaStreamSynchronize(s));
  }
  float* data() const { return impl_->data; }
  int numel() const { return static_cast<int>(impl_->numel); }

 private:
  TensorImpl* impl_ = nullptr;
};

__global__ void base_linear(const float* x, const float* w, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = w[i] * x[i];
}

__global__ void lora_add(const float* x, const float* ab, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += ab[i] * x[i];
}

class GraphCapture {
 public:
  explicit GraphCapture(cudaStream_t s) : stream_(s) {
    NMT_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    open_ = true;
  }
  GraphCapture(const GraphCapture&) = delete;
  GraphCapture& operator=(const GraphCapture&) = delete;
  ~GraphCapture() {
    cudaGraph_t g = nullptr;
    if (open_ && cudaStreamEndCapture(stream_, &g) == cudaSuccess) cudaGraphDestroy(g);
  }
  cudaGraphExec_t finish() {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t exec = nullptr;
    open_ = false;
    NMT_CUDA_CHECK(cudaStreamEndCapture(stream_, &g));
    const cudaError_t rc = cudaGraphInstantiate(&exec, g, 0);
    cudaGraphDestroy(g);
    NMT_CUDA_CHECK(rc);
    return exec;
  }

 private:
  cudaStream_t stream_;
  bool open_ = false;
};

class Decoder {
 public:
  explicit Decoder(const std::vector<float>& weight) {
    NMT_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    weight_ = Tensor::from_host(weight, stream_);
    adapter_ = Tensor::from_host(std::vector<float>(weight.size(), 0.0f), stream_);
    input_ = Tensor(weight.size());
    output_ = Tensor(weight.size());
  }
  ~Decoder() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  void load_adapter(const std::vector<float>& ab) {
    if (ab.size() != static_cast<size_t>(adapter_.numel())) throw std::invalid_argument("adapter size");
    adapter_.copy_(ab, stream_);
  }

  std::vector<float> decode(const std::vector<float>& x) {
    input_.copy_(x, stream_);
    if (!exec_) {
      GraphCapture capture(stream_);
      forward(input_, output_);
      exec_ = capture.finish();
    }
    NMT_CUDA_CHECK(cudaGraphLaunch(exec_, stream_));
    std::vector<float> y(x.size());
    NMT_CUDA_CHECK(
        cudaMemcpyAsync(y.data(), output_.data(), y.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    NMT_CUDA_CHECK(cudaStreamSynchronize(stream_));
    return y;
  }

 private:
  void forward(const Tensor& x, const Tensor& y) {
    const int n = x.numel();
    base_linear<<<(n + 255) / 256, 256, 0, stream_>>>(x.data(), weight_.data(), y.data(), n);
    NMT_CUDA_CHECK(cudaGetLastError());
    lora_add<<<(n + 255) / 256, 256, 0, stream_>>>(x.data(), adapter_.data(), y.data(), n);
    NMT_CUDA_CHECK(cudaGetLastError());
  }

  cudaStream_t stream_ = nullptr;
  Tensor weight_, adapter_, input_, output_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace nmt

int main() {
  constexpr int kHidden = 2048;
  bool right = true;
  {
    nmt::Decoder dec(std::vector<float>(kHidden, 2.0f));
    const float adapters[] = {0.0f, 1.0f, -0.5f};
    for (float a : adapters) {
      dec.load_adapter(std::vector<float>(kHidden, a));
      for (int tok = 1; tok <= 3; ++tok) {
        for (float v : dec.decode(std::vector<float>(kHidden, static_cast<float>(tok)))) {
          right = right && std::fabs(v - (2.0f + a) * tok) < 1e-4f;
        }
      }
    }
  }
  nmt::CachingPool::get().empty_cache();
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
