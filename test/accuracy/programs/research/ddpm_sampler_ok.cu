// ancestral sampling (DDPM) for a toy score model, schedule on the device, one graph per denoising step
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <vector>

#define CUDA_TRY(...)                                                                             \
  do {                                                                                            \
    cudaError_t e__ = (__VA_ARGS__);                                                              \
    if (e__ != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e__));                    \
  } while (0)

template <class T> struct Tensor {
  T* data = nullptr;
  size_t size = 0;
  explicit Tensor(size_t n) : size(n) { CUDA_TRY(cudaMalloc(&data, n * sizeof(T))); }
  ~Tensor() { cudaFree(data); }
  Tensor(const Tensor&) = delete;
  void upload(const std::vector<T>& h, cudaStream_t s) {
    CUDA_TRY(cudaMemcpyAsync(data, h.data(), size * sizeof(T), cudaMemcpyHostToDevice, s));
    CUDA_TRY(cudaStreamSynchronize(s));
  }
};

struct PhiloxArgs {
  uint64_t seed;
  const uint64_t* offset;
  uint64_t ahead;
  __device__ uint64_t at() const { return *offset + ahead; }
};

__global__ void advance_offset(uint64_t* offset, uint64_t numbers) { *offset += numbers; }

class Generator {
  uint64_t seed_;
  Tensor<uint64_t> offset_{1};

 public:
  explicit Generator(uint64_t seed) : seed_(seed) {}
  void reset(cudaStream_t s) { offset_.upload({0}, s); }
  // moves the device counter first, so the numbers handed out lie just behind it
  PhiloxArgs reserve(uint64_t numbers, cudaStream_t s) {
    advance_offset<<<1, 1, 0, s>>>(offset_.data, numbers);
    return {seed_, offset_.data, uint64_t(0) - numbers};
  }
};

__global__ void fill_normal(float* x, int n, PhiloxArgs rng) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandStatePhilox4_32_10_t st;
  curand_init(rng.seed, i, rng.at(), &st);
  x[i] = curand_normal(&st);
}

// "network": pulls towards two modes
__global__ void predict_noise(const float* x, float* eps, const float3* sched, const int* t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float target = x[i] > 0.f ? 1.5f : -1.5f, ab = sched[*t].y;
  eps[i] = (x[i] - sqrtf(ab) * target) * rsqrtf(1.f - ab + 1e-5f);
}

__global__ void ancestral_step(float* x, const float* eps, const float3* sched, const int* t, int n, PhiloxArgs rng) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 s = sched[*t];   // beta, alpha_bar, sigma
  float mean = (x[i] - s.x * rsqrtf(1.f - s.y + 1e-5f) * eps[i]) * rsqrtf(1.f - s.x);
  curandStatePhilox4_32_10_t st;
  curand_init(rng.seed, i, rng.at(), &st);
  float z = curand_normal(&st);
  x[i] = mean + (*t > 0 ? s.z * z : 0.f);
}

__global__ void tick(int* t) { *t -= 1; }

class Graph {
  cudaGraphExec_t exec_ = nullptr;

 public:
  explicit Graph(cudaGraph_t g) {
    cudaError_t rc = cudaGraphInstantiate(&exec_, g, 0);
    cudaGraphDestroy(g);
    CUDA_TRY(rc);
  }
  ~Graph() { if (exec_) cudaGraphExecDestroy(exec_); }
  Graph(Graph&& o) noexcept : exec_(o.exec_) { o.exec_ = nullptr; }
  void launch(cudaStream_t s) const { CUDA_TRY(cudaGraphLaunch(exec_, s)); }
};

class Sampler {
  int n_, steps_;
  cudaStream_t stream_ = nullptr;
  Tensor<float> x_, eps_;
  Tensor<float3> sched_;
  Tensor<int> t_;
  Generator gen_;
  std::optional<Graph> graph_;

  void denoise() {
    const int b = (n_ + 255) / 256;
    const PhiloxArgs rng = gen_.reserve(4, stream_);
    predict_noise<<<b, 256, 0, stream_>>>(x_.data, eps_.data, sched_.data, t_.data, n_);
    ancestral_step<<<b, 256, 0, stream_>>>(x_.data, eps_.data, sched_.data, t_.data, n_, rng);
    tick<<<1, 1, 0, stream_>>>(t_.data);
    CUDA_TRY(cudaGetLastError());
  }

 public:
  Sampler(int n, int steps, uint64_t seed)
      : n_(n), steps_(steps), x_(n), eps_(n), sched_(steps), t_(1), gen_(seed) {
    CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    std::vector<float3> h(steps);
    float ab = 1.f;
    for (int i = 0; i < steps; ++i) {
      float beta = 1e-4f + 0.04f * i / steps;
      ab *= 1.f - beta;
      h[i] = make_float3(beta, ab, std::sqrt(beta));
    }
    sched_.upload(h, stream_);
    gen_.reset(stream_);
  }
  ~Sampler() { cudaStreamDestroy(stream_); }

  std::vector<float> sample(bool use_graph) {
    const PhiloxArgs init = gen_.reserve(4, stream_);
    fill_normal<<<(n_ + 255) / 256, 256, 0, stream_>>>(x_.data, n_, init);
    CUDA_TRY(cudaGetLastError());
    t_.upload({steps_ - 1}, stream_);
    if (use_graph && !graph_)
      graph_.emplace([this] {
        cudaGraph_t g = nullptr;
        CUDA_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        try {
          denoise();
        } catch (...) {
          if (cudaStreamEndCapture(stream_, &g) == cudaSuccess) cudaGraphDestroy(g);
          throw;
        }
        CUDA_TRY(cudaStreamEndCapture(stream_, &g));
        return Graph(g);
      }());
    for (int i = 0; i < steps_; ++i) {
      if (use_graph) graph_->launch(stream_);
      else denoise();
    }
    std::vector<float> h(n_);
    CUDA_TRY(cudaMemcpyAsync(h.data(), x_.data, n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    CUDA_TRY(cudaStreamSynchronize(stream_));
    return h;
  }
};

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4096, steps = argc > 2 ? std::atoi(argv[2]) : 100;
  double err = 0;
  try {
    Sampler eager(n, steps, 1234), graphed(n, steps, 1234);
    for (int batch = 0; batch < 3; ++batch) {
      auto a = eager.sample(false), b = graphed.sample(true);
      for (int i = 0; i < n; ++i) err = std::max(err, (double)std::fabs(a[i] - b[i]));
    }
    std::printf("max difference to eager sampling: %.4f\n", err);
  } catch (const std::exception& e) {
    std::printf("%s\nLABEL REFUTED\n", e.what());
    return 0;
  }
  std::puts(err > 1e-4 ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
}
