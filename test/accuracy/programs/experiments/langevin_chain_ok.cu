// Overdamped Langevin chains with counter-based noise (Philox device API).
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(x)                                                                  \
  do {                                                                         \
    cudaError_t err = (x);                                                     \
    if (err != cudaSuccess) {                                                  \
      std::printf("%d: %s\nLABEL UNOBSERVED\n", __LINE__, cudaGetErrorString(err)); \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

struct Flat {
  __device__ float grad(float) const { return 0.f; }
};
struct Harmonic {
  float k;
  __device__ float grad(float x) const { return k * x; }
};

template <class Potential>
__global__ void langevin(float* x, int n, Potential u, float eps, unsigned long long seed, const unsigned long long* offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandStatePhilox4_32_10_t st;
  curand_init(seed, i, *offset, &st);
  float noise = curand_normal(&st);
  x[i] += -eps * u.grad(x[i]) + sqrtf(2.f * eps) * noise;
}

__global__ void skip_ahead(unsigned long long* offset, unsigned long long by) { *offset += by; }

// Hands out non-overlapping ranges of the random sequence.
class NoiseStream {
 public:
  explicit NoiseStream(unsigned long long seed) : seed_(seed) {
    CK(cudaMalloc(&offset_, sizeof *offset_));
    CK(cudaMemset(offset_, 0, sizeof *offset_));
    CK(cudaDeviceSynchronize());
  }
  ~NoiseStream() { cudaFree(offset_); }
  NoiseStream(const NoiseStream&) = delete;
  unsigned long long seed() const { return seed_; }
  const unsigned long long* position() const { return offset_; }
  void consumed(unsigned n, cudaStream_t s) { skip_ahead<<<1, 1, 0, s>>>(offset_, n); }

 private:
  unsigned long long seed_;
  unsigned long long* offset_ = nullptr;
};

template <class Potential>
class ChainEnsemble {
 public:
  ChainEnsemble(int n, Potential u, float eps, unsigned long long seed) : n_(n), u_(u), eps_(eps), noise_(seed) {
    CK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CK(cudaMalloc(&x_, n * sizeof(float)));
    CK(cudaMemsetAsync(x_, 0, n * sizeof(float), stream_));
    CK(cudaStreamSynchronize(stream_));
  }
  ~ChainEnsemble() {
    if (sweep_) cudaGraphExecDestroy(sweep_);
    cudaFree(x_);
    cudaStreamDestroy(stream_);
  }

  void step() {
    langevin<<<(n_ + 255) / 256, 256, 0, stream_>>>(x_, n_, u_, eps_, noise_.seed(), noise_.position());
    noise_.consumed(4, stream_);
    CK(cudaGetLastError());
  }

  void build_sweep(int steps) {
    cudaGraph_t g;
    CK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < steps; ++i) step();
    CK(cudaStreamEndCapture(stream_, &g));
    CK(cudaGraphInstantiateWithFlags(&sweep_, g, 0));
    CK(cudaGraphDestroy(g));
  }
  void sweep(int times) {
    while (times-- > 0) CK(cudaGraphLaunch(sweep_, stream_));
  }
  std::vector<float> positions() {
    std::vector<float> h(n_);
    CK(cudaMemcpyAsync(h.data(), x_, n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    CK(cudaStreamSynchronize(stream_));
    return h;
  }

 private:
  int n_;
  const Potential u_;
  const float eps_;
  NoiseStream noise_;
  cudaStream_t stream_ = nullptr;
  float* x_ = nullptr;
  cudaGraphExec_t sweep_ = nullptr;
};

static double variance(const std::vector<float>& v) {
  double m = 0, s = 0;
  for (float a : v) m += a;
  m /= v.size();
  for (float a : v) s += (a - m) * (a - m);
  return s / v.size();
}

int main() {
  const int n = 20000, steps = 5, replays = 8;
  const float eps = 0.01f;
  ChainEnsemble<Flat> walk(n, Flat{}, eps, 1234);
  walk.build_sweep(steps);
  walk.sweep(1);
  auto first = walk.positions();
  walk.sweep(replays - 1);
  auto last = walk.positions();

  const double one = 2.0 * eps * steps;
  const double v1 = variance(first) / one;
  const double vr = variance(last) / (one * replays);
  double repeat = 0;
  for (int i = 0; i < n; ++i) repeat = std::fmax(repeat, std::fabs(last[i] - replays * first[i]));
  std::printf("relative variance %.3f then %.3f, repeat distance %g\n", v1, vr, repeat);
  ChainEnsemble<Harmonic> trap(n, Harmonic{2.f}, eps, 77);
  trap.build_sweep(steps);
  trap.sweep(100);
  const double eq = variance(trap.positions()) * 2.0;
  std::printf("trap %.3f\n", eq);
  bool confirmed = std::fabs(v1 - 1) < 0.1 && std::fabs(vr - 1) < 0.1 && repeat > 0.1 && std::fabs(eq - 1) < 0.1;
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return confirmed ? 0 : 1;
}
