// Training loop: dropout on the activations, then an Adam update; the optimizer step is a replayed graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace train {

inline void check(cudaError_t e, const char* file, int line) {
  if (e != cudaSuccess)
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + " " + cudaGetErrorName(e));
}
#define CUDA_CHECK(x) ::train::check((x), __FILE__, __LINE__)

__device__ inline uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ (h >> 16);
}

__global__ void dropout(const float* x, float* y, uint32_t* mask, int n, float keep, uint32_t seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t r = mix(uint32_t(i) ^ mix(seed));
  mask[i] = r;
  y[i] = float(r) < keep * 4294967296.0f ? x[i] / keep : 0.0f;
}

__global__ void adam(float* w, const float* g, int n, float lr, float correction) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] -= lr / correction * g[i];
}

template <class T>
T* zeros(std::size_t n) {
  T* p = nullptr;
  CUDA_CHECK(cudaMalloc(&p, n * sizeof(T)));
  CUDA_CHECK(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}

struct Optimizer {
  float lr = 0.1f;
  float beta = 0.5f;
  int steps = 0;
  float bias_correction() const { return 1.0f - std::pow(beta, float(steps)); }
};

class Trainer {
 public:
  static constexpr int n = 1024;

  explicit Trainer(uint32_t seed) : engine_(seed) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    x_ = zeros<float>(n);
    y_ = zeros<float>(n);
    w_ = zeros<float>(n);
    g_ = zeros<float>(n);
    mask_ = zeros<uint32_t>(n);
    const std::vector<float> ones(n, 1.0f);
    CUDA_CHECK(cudaMemcpy(g_, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  ~Trainer() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (void* p : {(void*)x_, (void*)y_, (void*)w_, (void*)g_, (void*)mask_}) cudaFree(p);
    cudaStreamDestroy(stream_);
  }

  void step() {
    ++opt_.steps;
    if (!exec_) {
      const std::function<void()> body = [this] {
        dropout<<<n / 128, 128, 0, stream_>>>(x_, y_, mask_, n, 0.9f, static_cast<uint32_t>(engine_()));  // HAZARD random #1
        adam<<<n / 128, 128, 0, stream_>>>(w_, g_, n, opt_.lr, opt_.bias_correction());  // HAZARD frozen #2
        CUDA_CHECK(cudaGetLastError());
      };
      record(body);
    }
    CUDA_CHECK(cudaGraphLaunch(exec_, stream_));
  }

  float weight() { return peek(w_ + 9); }
  uint32_t mask() { return peek(mask_ + 9); }

 private:
  void record(const std::function<void()>& body) {
    CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    body();
    cudaGraph_t graph = nullptr;
    CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
  }
  template <class T>
  T peek(const T* p) {
    T v{};
    CUDA_CHECK(cudaMemcpyAsync(&v, p, sizeof v, cudaMemcpyDeviceToHost, stream_));
    CUDA_CHECK(cudaStreamSynchronize(stream_));
    return v;
  }

  std::mt19937 engine_;
  Optimizer opt_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *x_, *y_, *w_, *g_;
  uint32_t* mask_;
};

}  // namespace train

int main() {
  try {
    train::Trainer trainer(1234);
    float want = 0.0f;
    bool weights = true, fresh = true;
    uint32_t last = 0;
    for (int t = 1; t <= 5; ++t) {
      trainer.step();
      want -= 0.1f / (1.0f - std::pow(0.5f, float(t)));
      weights = weights && std::fabs(trainer.weight() - want) < 1e-4f;
      const uint32_t m = trainer.mask();
      fresh = fresh && m != last;
      last = m;
    }
    std::puts(!weights && !fresh ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
