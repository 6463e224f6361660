// tensor_cache: caching device allocator, reference counted tensors and a CUDAGraph wrapper with its own memory pool.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tc {

inline void check(cudaError_t e, const char *what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}
#define TC_CHECK(expr) ::tc::check((expr), #expr)

struct Block {
  void *ptr;
  size_t bytes;
  int pool;
};

class CachingAllocator {
 public:
  static CachingAllocator &get() {
    static CachingAllocator instance;
    return instance;
  }

  Block allocate(size_t bytes) {
    const size_t rounded = (bytes + 511) / 512 * 512;
    auto &bucket = free_[{active_pool_, rounded}];
    if (!bucket.empty()) {
      Block b = bucket.back();
      bucket.pop_back();
      return b;
    }
    // A cache miss may happen while the current thread is recording a graph.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    TC_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    void *p = nullptr;
    cudaError_t e = cudaMalloc(&p, rounded);
    TC_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    check(e, "cudaMalloc");
    return Block{p, rounded, active_pool_};
  }

  void release(const Block &b) { free_[{b.pool, b.bytes}].push_back(b); }

  int new_pool() { return next_pool_++; }
  int use_pool(int pool) { return std::exchange(active_pool_, pool); }

  void trim(int pool) {
    for (auto &entry : free_) {
      if (entry.first.first != pool) continue;
      for (Block &b : entry.second) TC_CHECK(cudaFree(b.ptr));
      entry.second.clear();
    }
  }

 private:
  std::map<std::pair<int, size_t>, std::vector<Block>> free_;
  int active_pool_ = 0;
  int next_pool_ = 1;
};

class Tensor {
 public:
  explicit Tensor(int64_t numel) : numel_(numel), block_(CachingAllocator::get().allocate(numel * sizeof(float))) {}
  Tensor(Tensor &&o) noexcept : numel_(o.numel_), block_(std::exchange(o.block_, Block{nullptr, 0, 0})) {}
  Tensor(const Tensor &) = delete;
  ~Tensor() {
    if (block_.ptr) CachingAllocator::get().release(block_);
  }
  float *data() const { return static_cast<float *>(block_.ptr); }
  int64_t numel() const { return numel_; }

 private:
  int64_t numel_;
  Block block_;
};

__global__ void fill_kernel(float *p, int64_t n, float v) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = v;
}
__global__ void mul_kernel(const float *a, float s, float *out, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] * s;
}
__global__ void lerp_kernel(float *acc, const float *v, float w, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) acc[i] += w * (v[i] - acc[i]);
}
__global__ void relu_bias_kernel(const float *a, float b, float *out, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) out[i] = (a[i] > 0.f ? a[i] : 0.f) + b;
}

inline unsigned blocks(int64_t n) { return unsigned((n + 255) / 256); }

class CUDAGraph {
 public:
  void capture_begin(cudaStream_t s) {
    stream_ = s;
    pool_ = CachingAllocator::get().new_pool();
    previous_pool_ = CachingAllocator::get().use_pool(pool_);
    TC_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  }
  void capture_end() {
    cudaGraph_t g = nullptr;
    cudaError_t e = cudaStreamEndCapture(stream_, &g);
    CachingAllocator::get().use_pool(previous_pool_);
    check(e, "cudaStreamEndCapture");
    TC_CHECK(cudaGraphInstantiate(&exec_, g, 0));
    TC_CHECK(cudaGraphDestroy(g));
  }
  void replay() { TC_CHECK(cudaGraphLaunch(exec_, stream_)); }
  ~CUDAGraph() {
    if (exec_) {
      cudaGraphExecDestroy(exec_);
      CachingAllocator::get().trim(pool_);
    }
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  int pool_ = 0;
  int previous_pool_ = 0;
};

// y = relu(2 x) + 1, with an intermediate that lives as long as the call.
void forward(const Tensor &x, const Tensor &y, cudaStream_t s) {
  Tensor scaled(x.numel());
  mul_kernel<<<blocks(x.numel()), 256, 0, s>>>(x.data(), 2.f, scaled.data(), x.numel());
  TC_CHECK(cudaGetLastError());
  relu_bias_kernel<<<blocks(x.numel()), 256, 0, s>>>(scaled.data(), 1.f, y.data(), x.numel());
  TC_CHECK(cudaGetLastError());
}

float first(const Tensor &t, cudaStream_t s) {
  float v = 0.f;
  TC_CHECK(cudaMemcpyAsync(&v, t.data(), sizeof v, cudaMemcpyDeviceToHost, s));
  TC_CHECK(cudaStreamSynchronize(s));
  return v;
}

}  // namespace tc

int main() {
  using namespace tc;
  int wrong = 0;
  bool failed = false;
  try {
    cudaStream_t s;
    TC_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    {
      const int64_t n = 1 << 14;
      Tensor x(n), y(n);
      fill_kernel<<<blocks(n), 256, 0, s>>>(x.data(), n, 1.f);
      forward(x, y, s);  // warm-up
      TC_CHECK(cudaStreamSynchronize(s));

      CUDAGraph graph;
      graph.capture_begin(s);
      forward(x, y, s);
      graph.capture_end();

      Tensor ema(n);  // running mean of y, kept by the eager part of the program
      fill_kernel<<<blocks(n), 256, 0, s>>>(ema.data(), n, 16.f);
      float ref = 16.f;
      for (int step = 0; step < 6; ++step) {
        fill_kernel<<<blocks(n), 256, 0, s>>>(x.data(), n, float(step));
        graph.replay();
        lerp_kernel<<<blocks(n), 256, 0, s>>>(ema.data(), y.data(), 0.5f, n);
        TC_CHECK(cudaGetLastError());
        const float out = 2.f * step + 1.f;
        ref += 0.5f * (out - ref);
        const float got_y = first(y, s), got_ema = first(ema, s);
        if (got_y != out || got_ema != ref) ++wrong;
        std::printf("step %d: y %g (%g) ema %g (%g)\n", step, got_y, out, got_ema, ref);
      }
    }
    CachingAllocator::get().trim(0);
    TC_CHECK(cudaStreamDestroy(s));
  } catch (const std::exception &e) {
    std::printf("failed: %s\n", e.what());
    failed = true;
  }
  std::printf("%s\n", !failed && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
