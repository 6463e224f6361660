// Training-time layer: running mean of the input followed by dropout, replayed as a CUDA graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace ext {

inline void check(cudaError_t err, const char* what, int line) {
  if (err == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s: %s\n", line, what, cudaGetErrorString(err));
  std::puts("LABEL UNOBSERVED");
  std::exit(0);
}
#define EXT_CHECK(x) ::ext::check((x), #x, __LINE__)

template <class T>
class Buffer {
 public:
  explicit Buffer(size_t n) : n_(n) {
    EXT_CHECK(cudaMalloc(&p_, n * sizeof(T)));
    EXT_CHECK(cudaMemset(p_, 0, n * sizeof(T)));
    EXT_CHECK(cudaDeviceSynchronize());
  }
  ~Buffer() { cudaFree(p_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* get() const { return p_; }
  size_t size() const { return n_; }

 private:
  T* p_ = nullptr;
  size_t n_ = 0;
};

// Counter-based generator state as the host sees it.
struct Generator {
  uint64_t seed = 0x9E3779B97F4A7C15ull;
  uint64_t offset = 0;
  uint64_t reserve(uint64_t n) {
    uint64_t o = offset;
    offset += n;
    return o;
  }
};

__device__ inline float uniform01(uint64_t seed, uint64_t counter) {
  uint64_t z = seed + counter * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return float(z >> 40) * (1.0f / 16777216.0f);
}

__global__ void ema_mean(const float* x, int n, float momentum, float* running) {
  __shared__ float part[256];
  float s = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w >>= 1) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) *running = momentum * *running + (1.f - momentum) * part[0] / n;
}

__global__ void dropout(const float* x, float* y, int n, float p, uint64_t seed, uint64_t offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float u = uniform01(seed, offset + i);
  y[i] = u < p ? 0.f : x[i] / (1.f - p);
}

class DropoutLayer {
 public:
  DropoutLayer(int n, float p) : n_(n), p_(p), x_(n), y_(n), running_(1) {}

  void forward(cudaStream_t s) {
    ema_mean<<<1, 256, 0, s>>>(x_.get(), n_, kMomentum, running_.get());
    ++batches_tracked_;  // HAZARD host_logic
    uint64_t offset = gen_.reserve(n_);  // HAZARD random #offset
    dropout<<<(n_ + 255) / 256, 256, 0, s>>>(x_.get(), y_.get(), n_, p_, gen_.seed, offset);  // HAZARD random #offset
    EXT_CHECK(cudaGetLastError());
  }

  // Bias-corrected running mean, as used by the evaluation code.
  float corrected_mean(cudaStream_t s) const {
    float r = 0.f;
    EXT_CHECK(cudaMemcpyAsync(&r, running_.get(), sizeof r, cudaMemcpyDeviceToHost, s));
    EXT_CHECK(cudaStreamSynchronize(s));
    return r / (1.f - std::pow(kMomentum, float(batches_tracked_)));
  }
  float* input() const { return x_.get(); }
  float* output() const { return y_.get(); }

 private:
  static constexpr float kMomentum = 0.9f;
  int n_;
  float p_;
  Buffer<float> x_, y_, running_;
  Generator gen_;
  int batches_tracked_ = 0;
};

class GraphedLayer {
 public:
  GraphedLayer(DropoutLayer& layer, cudaStream_t s) : layer_(layer), stream_(s) {
    cudaGraph_t graph;
    EXT_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    layer_.forward(stream_);
    EXT_CHECK(cudaStreamEndCapture(stream_, &graph));
    EXT_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    EXT_CHECK(cudaGraphDestroy(graph));
  }
  ~GraphedLayer() { cudaGraphExecDestroy(exec_); }
  void step() {
    EXT_CHECK(cudaGraphLaunch(exec_, stream_));
  }

 private:
  DropoutLayer& layer_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace ext

int main() {
  using namespace ext;
  constexpr int kN = 1 << 14, kSteps = 5;
  cudaStream_t stream;
  EXT_CHECK(cudaStreamCreate(&stream));
  bool masks_vary = true, mean_ok = true;
  {
    DropoutLayer layer(kN, 0.25f);
    std::vector<float> ones(kN, 1.f), prev, cur(kN);
    EXT_CHECK(cudaMemcpy(layer.input(), ones.data(), kN * sizeof(float), cudaMemcpyHostToDevice));
    GraphedLayer graphed(layer, stream);
    for (int step = 0; step < kSteps; ++step) {
      graphed.step();
      EXT_CHECK(cudaMemcpyAsync(cur.data(), layer.output(), kN * sizeof(float), cudaMemcpyDeviceToHost, stream));
      EXT_CHECK(cudaStreamSynchronize(stream));
      int kept = 0;
      for (float v : cur) kept += v != 0.f;
      std::printf("step %d: kept %.3f\n", step, double(kept) / kN);
      if (!prev.empty() && prev == cur) masks_vary = false;
      prev = cur;
    }
    float m = layer.corrected_mean(stream);
    std::printf("corrected mean %.4f (want 1)\n", m);
    mean_ok = std::fabs(m - 1.f) < 1e-3f;
  }
  EXT_CHECK(cudaStreamDestroy(stream));
  std::puts(!masks_vary && !mean_ok ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
