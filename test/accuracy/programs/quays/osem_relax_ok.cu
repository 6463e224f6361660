// Ordered-subset EM reconstruction with a relaxed multiplicative update.
// The per-iteration work (all subsets) is recorded once and replayed.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#define RECON_CHECK(expr)                                             \
  do {                                                                \
    if (const cudaError_t status_ = (expr)) {                         \
      std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(status_)); \
      std::printf("LABEL WRONG\n");                                   \
      std::exit(1);                                                   \
    }                                                                 \
  } while (false)

namespace recon {

constexpr int kThreads = 128;
constexpr float kEpsilon = 1e-6f;

class Stream {
 public:
  Stream() { RECON_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }
  void Synchronize() const { RECON_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) : count_(count) {
    RECON_CHECK(cudaMalloc(&data_, count * sizeof(T)));
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  T* data() const { return data_; }
  void Upload(const std::vector<T>& host) {
    RECON_CHECK(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> Download() const {
    std::vector<T> host(count_);
    RECON_CHECK(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// A scalar that kernels read from device memory. Each Set() uses the next slot
// of a page-locked ring so that a pending upload keeps its source.
template <typename T>
class DeviceScalar {
 public:
  explicit DeviceScalar(int slots) : slots_(slots), value_(1) {
    RECON_CHECK(cudaMallocHost(&ring_, slots * sizeof(T)));
  }
  ~DeviceScalar() { cudaFreeHost(ring_); }
  DeviceScalar(const DeviceScalar&) = delete;
  void Set(T value, const Stream& stream) {
    if (used_ == slots_) {
      stream.Synchronize();
      used_ = 0;
    }
    ring_[used_] = value;
    RECON_CHECK(cudaMemcpyAsync(value_.data(), &ring_[used_], sizeof(T),
                                cudaMemcpyHostToDevice, stream.get()));
    ++used_;
  }
  const T* device() const { return value_.data(); }

 private:
  int slots_;
  int used_ = 0;
  T* ring_ = nullptr;
  DeviceBuffer<T> value_;
};

struct ReconOptions {
  int num_voxels = 512;
  int num_subsets = 4;
  int iterations = 5;
  float initial_relaxation = 1.0f;
  float relaxation_decay = 0.6f;
};

class RelaxationSchedule {
 public:
  RelaxationSchedule(float initial, float decay) : initial_(initial), decay_(decay) {}
  float At(int iteration) const {
    return initial_ / (1.0f + decay_ * static_cast<float>(iteration));
  }

 private:
  float initial_, decay_;
};

// Five-tap detector response, normalised to one.
__host__ __device__ inline float Tap(int offset) {
  const int a = offset < 0 ? -offset : offset;
  return a == 0 ? 0.4f : (a == 1 ? 0.2f : 0.1f);
}

__host__ __device__ inline int Wrap(int i, int n) {
  return i < 0 ? i + n : (i >= n ? i - n : i);
}

__host__ __device__ inline float ForwardAt(const float* image, int n, int bin) {
  float sum = 0.0f;
  for (int k = -2; k <= 2; ++k) sum += Tap(k) * image[Wrap(bin + k, n)];
  return sum;
}

__host__ __device__ inline float CorrectionAt(const float* ratio, int n,
                                              int voxel, int subset,
                                              int num_subsets) {
  float sum = 0.0f, sensitivity = 0.0f;
  for (int k = -2; k <= 2; ++k) {
    const int bin = Wrap(voxel - k, n);
    if (bin % num_subsets != subset) continue;
    sum += Tap(k) * ratio[bin];
    sensitivity += Tap(k);
  }
  return sum / sensitivity;
}

__global__ void RatioKernel(const float* image, const float* measured,
                            float* ratio, int n, int subset, int num_subsets) {
  const int bin = (blockIdx.x * blockDim.x + threadIdx.x) * num_subsets + subset;
  if (bin >= n) return;
  ratio[bin] = measured[bin] / fmaxf(ForwardAt(image, n, bin), kEpsilon);
}

__global__ void UpdateKernel(float* image, const float* ratio, int n,
                             int subset, int num_subsets,
                             const float* relaxation) {
  const int voxel = blockIdx.x * blockDim.x + threadIdx.x;
  if (voxel >= n) return;
  const float correction = CorrectionAt(ratio, n, voxel, subset, num_subsets);
  image[voxel] *= 1.0f + *relaxation * (correction - 1.0f);
}

struct UpdateState {
  explicit UpdateState(int slots) : relaxation(slots) {}
  DeviceScalar<float> relaxation;
  int completed_iterations = 0;
};

// Records work given by a callable and owns the executable graph.
class IterationGraph {
 public:
  ~IterationGraph() { if (exec_ != nullptr) cudaGraphExecDestroy(exec_); }
  void Record(const Stream& stream, const std::function<void(cudaStream_t)>& body) {
    cudaGraph_t graph = nullptr;
    RECON_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    body(stream.get());
    RECON_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    RECON_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    RECON_CHECK(cudaGraphDestroy(graph));
  }
  bool ready() const { return exec_ != nullptr; }
  void Launch(const Stream& stream) const {
    RECON_CHECK(cudaGraphLaunch(exec_, stream.get()));
  }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

class SubsetOperator {
 public:
  SubsetOperator(const ReconOptions& options, const float* measured)
      : options_(options), measured_(measured), ratio_(options.num_voxels) {}

  void Enqueue(float* image, int subset, const UpdateState& state,
               cudaStream_t stream) {
    const int n = options_.num_voxels;
    const int bins = n / options_.num_subsets;
    RatioKernel<<<(bins + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
        image, measured_, ratio_.data(), n, subset, options_.num_subsets);
    UpdateKernel<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
        image, ratio_.data(), n, subset, options_.num_subsets,
        state.relaxation.device());
    RECON_CHECK(cudaGetLastError());
  }

 private:
  ReconOptions options_;
  const float* measured_;
  DeviceBuffer<float> ratio_;
};

class Reconstructor {
 public:
  Reconstructor(const ReconOptions& options, const std::vector<float>& data)
      : options_(options),
        schedule_(options.initial_relaxation, options.relaxation_decay),
        measured_(data.size()),
        image_(options.num_voxels),
        op_(options, measured_.data()),
        state_(2) {
    measured_.Upload(data);
    image_.Upload(std::vector<float>(options.num_voxels, 1.0f));
  }

  void Step() {
    state_.relaxation.Set(schedule_.At(state_.completed_iterations), stream_);
    if (!graph_.ready()) {
      graph_.Record(stream_, [this](cudaStream_t s) { EnqueueIteration(s); });
    }
    graph_.Launch(stream_);
    ++state_.completed_iterations;
  }

  std::vector<float> Image() const {
    stream_.Synchronize();
    return image_.Download();
  }

 private:
  void EnqueueIteration(cudaStream_t stream) {
    for (int s = 0; s < options_.num_subsets; ++s)
      op_.Enqueue(image_.data(), s, state_, stream);
  }

  ReconOptions options_;
  RelaxationSchedule schedule_;
  Stream stream_;
  DeviceBuffer<float> measured_;
  DeviceBuffer<float> image_;
  SubsetOperator op_;
  UpdateState state_;
  IterationGraph graph_;
};

std::vector<float> MakePhantom(int n) {
  std::vector<float> phantom(n, 0.5f);
  for (int i = n / 8; i < n / 4; ++i) phantom[i] = 4.0f;
  for (int i = n / 2; i < n / 2 + 9; ++i) phantom[i] = 8.0f;
  for (int i = 3 * n / 4; i < 7 * n / 8; i += 3) phantom[i] = 3.0f;
  return phantom;
}

void ReferenceIteration(const ReconOptions& o, const std::vector<float>& data,
                        float relaxation, std::vector<float>* image) {
  const int n = o.num_voxels;
  std::vector<float> ratio(n, 0.0f);
  for (int s = 0; s < o.num_subsets; ++s) {
    for (int b = s; b < n; b += o.num_subsets)
      ratio[b] = data[b] / std::max(ForwardAt(image->data(), n, b), kEpsilon);
    for (int v = 0; v < n; ++v) {
      const float c = CorrectionAt(ratio.data(), n, v, s, o.num_subsets);
      (*image)[v] *= 1.0f + relaxation * (c - 1.0f);
    }
  }
}

float MaxRelativeError(const std::vector<float>& a, const std::vector<float>& b) {
  float worst = 0.0f;
  for (size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::fabs(a[i] - b[i]) / (std::fabs(b[i]) + 0.01f));
  return worst;
}

}  // namespace recon

int main() {
  recon::ReconOptions options;
  const std::vector<float> phantom = recon::MakePhantom(options.num_voxels);
  std::vector<float> data(options.num_voxels);
  for (int b = 0; b < options.num_voxels; ++b)
    data[b] = recon::ForwardAt(phantom.data(), options.num_voxels, b);
  recon::Reconstructor reconstructor(options, data);
  const recon::RelaxationSchedule schedule(options.initial_relaxation,
                                           options.relaxation_decay);
  std::vector<float> reference(options.num_voxels, 1.0f);
  float worst_error = 0.0f;
  for (int it = 0; it < options.iterations; ++it) {
    reconstructor.Step();
    recon::ReferenceIteration(options, data, schedule.At(it), &reference);
    if (it == 1) continue;
    const float error = recon::MaxRelativeError(reconstructor.Image(), reference);
    worst_error = std::max(worst_error, error);
    std::printf("iteration %d: max relative error %g\n", it, error);
  }
  const bool confirmed = worst_error < 1e-3f;
  std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return confirmed ? 0 : 1;
}
