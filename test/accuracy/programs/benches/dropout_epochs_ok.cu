// Dropout layers trained for a few epochs; one graph per layer and batch size.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#define CUDA_OK(expr)                                                                   \
  do {                                                                                  \
    cudaError_t st__ = (expr);                                                          \
    if (st__ != cudaSuccess) {                                                          \
      std::printf("%s -> %s\nLABEL UNOBSERVED\n", #expr, cudaGetErrorString(st__));     \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

__host__ __device__ inline uint32_t mix(uint32_t h) {
  h ^= h >> 16; h *= 0x7feb352dU;
  h ^= h >> 15; h *= 0x846ca68bU;
  return h ^ (h >> 16);
}

__global__ void dropout_host_offset(float* y, const float* x, int n, uint32_t seed, uint32_t offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (mix(i + mix(seed + offset * 9781u)) & 1u) ? x[i] * 2.f : 0.f;
}

__global__ void dropout_dev_offset(float* y, const float* x, int n, uint32_t seed, const uint32_t* offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (mix(i + mix(seed + *offset * 9781u)) & 1u) ? x[i] * 2.f : 0.f;
}

__global__ void bump(uint32_t* c) { *c += 1; }

class PhiloxState {
 public:
  explicit PhiloxState(uint32_t seed) : seed_(seed) {
    CUDA_OK(cudaMalloc(&dev_, sizeof(uint32_t)));
    CUDA_OK(cudaMemset(dev_, 0, sizeof(uint32_t)));
  }
  PhiloxState(const PhiloxState&) = delete;
  ~PhiloxState() { cudaFree(dev_); }
  uint32_t seed() const { return seed_; }
  const uint32_t* next_offset(cudaStream_t s) { bump<<<1, 1, 0, s>>>(dev_); return dev_; }

 private:
  uint32_t seed_;
  uint32_t* dev_ = nullptr;
};

class DropoutLayer {
 public:
  DropoutLayer(int max_n, uint32_t seed) : rng_(seed), max_n_(max_n) {
    CUDA_OK(cudaMalloc(&x_, max_n * sizeof(float)));
    CUDA_OK(cudaMalloc(&y_, max_n * sizeof(float)));
    std::vector<float> ones(max_n, 1.f);
    CUDA_OK(cudaMemcpy(x_, ones.data(), max_n * sizeof(float), cudaMemcpyHostToDevice));
  }
  DropoutLayer(const DropoutLayer&) = delete;
  ~DropoutLayer() {
    for (auto& kv : execs_) cudaGraphExecDestroy(kv.second);
    cudaFree(x_);
    cudaFree(y_);
  }

  void forward(cudaStream_t s, int n) {
    const uint32_t* off = rng_.next_offset(s);
    dropout_dev_offset<<<(n + 127) / 128, 128, 0, s>>>(y_, x_, n, rng_.seed(), off);
    CUDA_OK(cudaGetLastError());
  }

  void step(cudaStream_t s, int n) {
    auto it = execs_.find(n);
    if (it == execs_.end()) {
      cudaGraph_t g = nullptr;
      cudaGraphExec_t ex = nullptr;
      CUDA_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
      forward(s, n);
      CUDA_OK(cudaStreamEndCapture(s, &g));
      CUDA_OK(cudaGraphInstantiate(&ex, g, 0));
      CUDA_OK(cudaGraphDestroy(g));
      it = execs_.emplace(n, ex).first;
    }
    CUDA_OK(cudaGraphLaunch(it->second, s));
  }

  std::vector<float> output(cudaStream_t s, int n) const {
    std::vector<float> h(n);
    CUDA_OK(cudaStreamSynchronize(s));
    CUDA_OK(cudaMemcpy(h.data(), y_, n * sizeof(float), cudaMemcpyDeviceToHost));
    return h;
  }

 private:
  PhiloxState rng_;
  int max_n_;
  float *x_ = nullptr, *y_ = nullptr;
  std::map<int, cudaGraphExec_t> execs_;
};

int main() {
  const int epochs = 3;
  const std::vector<int> batches = {512, 512, 512, 200};
  cudaStream_t s;
  CUDA_OK(cudaStreamCreate(&s));
  int steps_total = 0, distinct_total = 0, not_binary = 0;
  double kept = 0, seen = 0;
  {
    DropoutLayer layers[3] = {{512, 11u}, {512, 12u}, {512, 13u}};
    std::map<int, std::set<std::vector<float>>> masks[3];
    for (int e = 0; e < epochs; ++e) {
      for (int n : batches) {
        for (int l = 0; l < 3; ++l) {
          layers[l].step(s, n);
          std::vector<float> y = layers[l].output(s, n);
          for (float v : y) {
            if (v != 0.f && v != 2.f) ++not_binary;
            kept += v != 0.f;
            seen += 1;
          }
          masks[l][n].insert(y);
          ++steps_total;
        }
      }
      std::printf("epoch %d: keep rate %.3f\n", e, kept / seen);
    }
    for (auto& per_layer : masks)
      for (auto& kv : per_layer) distinct_total += (int)kv.second.size();
  }
  CUDA_OK(cudaStreamDestroy(s));
  std::printf("steps %d distinct masks %d\n", steps_total, distinct_total);
  if (not_binary == 0 && distinct_total == steps_total) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("LABEL UNOBSERVED\n");
  return 1;
}
