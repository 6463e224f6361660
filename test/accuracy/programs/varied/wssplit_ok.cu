// Deterministic split reduction used by a statistics library; the implementation is hidden from its users.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

// ---- stats.h ----
namespace stats {

class MeanVariance {
 public:
  MeanVariance(int maxSamples, cudaStream_t stream);
  ~MeanVariance();
  cudaError_t compile(int samples);
  cudaError_t operator()(const std::vector<float>& samples, float* mean);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stats

// ---- stats.cu ----
namespace stats {

#define STATS_TRY(x)                              \
  do {                                            \
    const cudaError_t rc_ = (x);                  \
    if (rc_ != cudaSuccess) return rc_;           \
  } while (0)

__global__ void partialSums(const float* x, float* partial, int n) {
  __shared__ float s[128];
  float sum = 0.0f;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) sum += x[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 64; d; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
}
__global__ void finish(const float* partial, float* mean, int parts, int n) {
  float sum = 0.0f;
  for (int i = 0; i < parts; ++i) sum += partial[i];
  *mean = sum / float(n);
}

class Workspace {
 public:
  ~Workspace() { cudaFree(p_); }
  cudaError_t reserve(std::size_t bytes) {
    if (bytes <= bytes_) return cudaSuccess;
    STATS_TRY(cudaFree(p_));
    p_ = nullptr;
    STATS_TRY(cudaMalloc(&p_, bytes));
    bytes_ = bytes;
    return cudaSuccess;
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(p_);
  }

 private:
  void* p_ = nullptr;
  std::size_t bytes_ = 0;
};

struct MeanVariance::Impl {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  float *x = nullptr, *mean = nullptr;
  Workspace workspace;

  static int parts(int n) { return (n + 1023) / 1024; }

  cudaError_t submit(int n) {
    float* const partial = workspace.as<float>();
    partialSums<<<parts(n), 128, 0, stream>>>(x, partial, n);
    finish<<<1, 1, 0, stream>>>(partial, mean, parts(n), n);
    return cudaGetLastError();
  }
};

MeanVariance::MeanVariance(int maxSamples, cudaStream_t stream) : impl_(std::make_unique<Impl>()) {
  impl_->stream = stream;
  cudaMalloc(&impl_->x, maxSamples * sizeof(float));
  cudaMalloc(&impl_->mean, sizeof(float));
}

MeanVariance::~MeanVariance() {
  if (impl_->exec) cudaGraphExecDestroy(impl_->exec);
  cudaFree(impl_->x);
  cudaFree(impl_->mean);
}

cudaError_t MeanVariance::compile(int samples) {
  Impl& m = *impl_;
  if (m.exec) {
    STATS_TRY(cudaGraphExecDestroy(m.exec));
    m.exec = nullptr;
  }
  STATS_TRY(m.workspace.reserve(Impl::parts(samples) * sizeof(float)));
  STATS_TRY(cudaStreamBeginCapture(m.stream, cudaStreamCaptureModeThreadLocal));
  const cudaError_t submitted = m.submit(samples);
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(m.stream, &graph);
  STATS_TRY(submitted);
  STATS_TRY(ended);
  const cudaError_t made = cudaGraphInstantiate(&m.exec, graph, 0);
  STATS_TRY(cudaGraphDestroy(graph));
  return made;
}

cudaError_t MeanVariance::operator()(const std::vector<float>& samples, float* mean) {
  Impl& m = *impl_;
  STATS_TRY(cudaMemcpyAsync(m.x, samples.data(), samples.size() * sizeof(float), cudaMemcpyHostToDevice, m.stream));
  STATS_TRY(cudaGraphLaunch(m.exec, m.stream));
  STATS_TRY(cudaMemcpyAsync(mean, m.mean, sizeof(float), cudaMemcpyDeviceToHost, m.stream));
  return cudaStreamSynchronize(m.stream);
}

}  // namespace stats

int main() {
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
    std::puts("LABEL REFUTED");
    return 0;
  }
  cudaError_t compiled = cudaSuccess;
  bool right = true;
  {
    stats::MeanVariance mv(1 << 16, stream);
    for (int n : {3000, 50000}) {
      compiled = mv.compile(n);
      if (compiled != cudaSuccess) break;
      for (int k = 1; k <= 2; ++k) {
        float mean = 0.0f;
        right = right && mv(std::vector<float>(n, float(k)), &mean) == cudaSuccess && std::fabs(mean - float(k)) < 1e-4f;
      }
    }
  }
  std::fprintf(stderr, "compile: %s\n", cudaGetErrorName(compiled));
  std::puts(compiled == cudaSuccess && right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
