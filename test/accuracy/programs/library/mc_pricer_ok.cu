// Monte Carlo pricer: batches of paths, replayed until the standard error is small enough.
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_set>

namespace mc {

inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

struct CudaFree {
  template <class T> void operator()(T* p) const noexcept { cudaFree(p); }
};
template <class T> using device_ptr = std::unique_ptr<T, CudaFree>;
template <class T> device_ptr<T> device_alloc(std::size_t n) {
  T* p = nullptr;
  check(cudaMalloc(&p, n * sizeof(T)), "alloc");
  return device_ptr<T>(p);
}

__host__ __device__ inline std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

constexpr int kPaths = 4096;

__global__ void simulate(double* payoff, std::uint64_t seed, const std::uint64_t* offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint64_t bits = mix(seed + 0x9e3779b97f4a7c15ull * (*offset + i + 1));
  const double u = (bits >> 11) * (1.0 / 9007199254740992.0);
  payoff[i] = u > 0.5 ? u - 0.5 : 0.0;
}
__global__ void skip_ahead(std::uint64_t* offset) { *offset += kPaths; }

__global__ void average(const double* payoff, double* mean) {
  __shared__ double part[256];
  double acc = 0;
  for (int i = threadIdx.x; i < kPaths; i += 256) acc += payoff[i];
  part[threadIdx.x] = acc;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (static_cast<int>(threadIdx.x) < h) part[threadIdx.x] += part[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) *mean = part[0] / kPaths;
}

class CaptureScope {
 public:
  CaptureScope(cudaStream_t s, cudaGraph_t& out) : s_(s), out_(out) {
    check(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal), "begin");
  }
  ~CaptureScope() noexcept(false) {
    const cudaError_t e = cudaStreamEndCapture(s_, &out_);
    if (std::uncaught_exceptions() == 0) check(e, "end");
  }
  CaptureScope(const CaptureScope&) = delete;

 private:
  cudaStream_t s_;
  cudaGraph_t& out_;
};

class Pricer {
 public:
  explicit Pricer(std::uint64_t seed)
      : seed_(std::mt19937_64{seed}()),
        payoff_(device_alloc<double>(kPaths)),
        offset_(device_alloc<std::uint64_t>(1)),
        mean_(device_alloc<double>(1)) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    check(cudaMemsetAsync(offset_.get(), 0, sizeof(std::uint64_t), stream_), "offset");
  }
  ~Pricer() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }
  Pricer(const Pricer&) = delete;

  double batch() {
    if (!exec_) build();
    double m = 0;
    check(cudaGraphLaunch(exec_, stream_), "launch");
    check(cudaMemcpyAsync(&m, mean_.get(), sizeof m, cudaMemcpyDeviceToHost, stream_), "mean");
    check(cudaStreamSynchronize(stream_), "batch");
    return m;
  }

 private:
  void build() {
    cudaGraph_t g = nullptr;
    {
      const CaptureScope scope(stream_, g);
      simulate<<<kPaths / 256, 256, 0, stream_>>>(payoff_.get(), seed_, offset_.get());
      skip_ahead<<<1, 1, 0, stream_>>>(offset_.get());
      average<<<1, 256, 0, stream_>>>(payoff_.get(), mean_.get());
      check(cudaGetLastError(), "simulate");
    }
    const cudaError_t e = cudaGraphInstantiate(&exec_, g, 0);
    cudaGraphDestroy(g);
    check(e, "instantiate");
  }

  const std::uint64_t seed_;
  device_ptr<double> payoff_;
  device_ptr<std::uint64_t> offset_;
  device_ptr<double> mean_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace mc

int main() {
  mc::Pricer pricer(2024);
  std::unordered_set<double> seen;
  std::array<double, 8> means{};
  for (double& m : means) {
    m = pricer.batch();
    seen.insert(m);
    std::printf("batch mean %.12f\n", m);
  }
  std::puts(seen.size() == means.size() ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
