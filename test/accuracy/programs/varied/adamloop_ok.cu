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

struct Counters {
  uint32_t seed;
  uint32_t step;
};

__global__ void advance(Counters* c) { ++c->step; }

__global__ void dropout(const float* x, float* y, uint32_t* mask, int n, float keep, const Counters* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t r = mix(uint32_t(i) ^ mix(c->seed + c->step));
  mask[i] = r;
  y[i] = float(r) < keep * 4294967296.0f ? x[i] / keep : 0.0f;
}

__global__ void adam(float* w, const float* g, int n, float lr, float beta, const Counters* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] -= lr / (1.0f - powf(beta, float(c->step))) * g[i];
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
    counters_ = zeros<Counters>(1);
    const Counters first{static_cast<uint32_t>(engine_()), 0};
    CUDA_CHECK(cudaMemcpy(counters_, &first, sizeof first, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  ~Trainer() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (void* p : {(void*)x_, (void*)y_, (void*)w_, (void*)g_, (void*)mask_}) cudaFree(p);
    cudaFree(counters_);
    cudaStreamDestroy(stream_);
  }

  void step() {
    ++opt_.steps;
    if (!exec_) {
      const std::function<void()> body = [this] {
        advance<<<1, 1, 0, stream_>>>(counters_);
        dropout<<<n / 128, 128, 0, stream_>>>(x_, y_, mask_, n, 0.9f, counters_);
        adam<<<n / 128, 128, 0, stream_>>>(w_, g_, n, opt_.lr, opt_.beta, counters_);
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
  Counters* counters_;
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
    std::puts(weights && fresh ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
