// Edge-chain relaxation used by the fairing tool: Laplacian smoothing of a polyline profile that is
// refined (midpoint subdivision) between smoothing passes.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fair {

class GpuError : public std::runtime_error {
 public:
  GpuError(cudaError_t code, const char* what)
      : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code)), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

inline void must(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw GpuError(e, what);
}

__global__ void laplaceStep(const float* src, float* dst, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  if (i == 0 || i == count - 1)
    dst[i] = src[i];
  else
    dst[i] = 0.5f * src[i] + 0.25f * (src[i - 1] + src[i + 1]);
}

struct DeviceFree {
  void operator()(float* p) const { cudaFree(p); }
};
using DeviceFloats = std::unique_ptr<float, DeviceFree>;

DeviceFloats allocateFloats(size_t n) {
  float* p = nullptr;
  must(cudaMalloc(&p, n * sizeof(float)), "cudaMalloc");
  return DeviceFloats(p);
}

// A smoothing operator that can enqueue one double step a -> b -> a.
class ISmoother {
 public:
  virtual ~ISmoother() = default;
  virtual void enqueue(cudaStream_t stream, float* a, float* b, int count) const = 0;
};

class LaplaceSmoother final : public ISmoother {
 public:
  void enqueue(cudaStream_t stream, float* a, float* b, int count) const override {
    const int blocks = (count + kThreads - 1) / kThreads;
    laplaceStep<<<blocks, kThreads, 0, stream>>>(a, b, count);
    laplaceStep<<<blocks, kThreads, 0, stream>>>(b, a, count);
    must(cudaGetLastError(), "laplaceStep");
  }

 private:
  static constexpr int kThreads = 64;
};

class MeshRelaxer {
 public:
  MeshRelaxer(size_t capacity, std::unique_ptr<ISmoother> smoother);
  ~MeshRelaxer();
  void setProfile(const std::vector<float>& heights);
  void relax(int passes);
  std::vector<float> profile() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct MeshRelaxer::Impl {
  size_t capacity;
  std::unique_ptr<ISmoother> smoother;
  DeviceFloats front, back;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  int count = 0;
  int recordedCount = -1;

  Impl(size_t cap, std::unique_ptr<ISmoother> s)
      : capacity(cap), smoother(std::move(s)), front(allocateFloats(cap)), back(allocateFloats(cap)) {
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  }
  ~Impl() {
    if (exec) cudaGraphExecDestroy(exec);
    cudaStreamDestroy(stream);
  }

  void ensureGraph() {
    if (exec && recordedCount == count) return;
    if (exec) {
      must(cudaGraphExecDestroy(exec), "exec destroy");
      exec = nullptr;
    }
    cudaGraph_t graph = nullptr;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
    smoother->enqueue(stream, front.get(), back.get(), count);
    must(cudaStreamEndCapture(stream, &graph), "end");
    cudaError_t built = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    must(built, "instantiate");
    recordedCount = count;
  }
};

MeshRelaxer::MeshRelaxer(size_t capacity, std::unique_ptr<ISmoother> smoother)
    : impl_(std::make_unique<Impl>(capacity, std::move(smoother))) {}
MeshRelaxer::~MeshRelaxer() = default;

void MeshRelaxer::setProfile(const std::vector<float>& heights) {
  if (heights.size() > impl_->capacity) throw std::length_error("profile exceeds capacity");
  impl_->count = static_cast<int>(heights.size());
  must(cudaMemcpyAsync(impl_->front.get(), heights.data(), heights.size() * sizeof(float),
                       cudaMemcpyHostToDevice, impl_->stream),
       "upload");
  must(cudaStreamSynchronize(impl_->stream), "upload sync");
}

void MeshRelaxer::relax(int passes) {
  impl_->ensureGraph();
  for (int p = 0; p < passes; ++p) must(cudaGraphLaunch(impl_->exec, impl_->stream), "launch");
  must(cudaStreamSynchronize(impl_->stream), "relax sync");
}

std::vector<float> MeshRelaxer::profile() const {
  std::vector<float> out(impl_->count);
  must(cudaMemcpy(out.data(), impl_->front.get(), out.size() * sizeof(float), cudaMemcpyDeviceToHost), "download");
  return out;
}

std::vector<float> subdivide(const std::vector<float>& in) {
  std::vector<float> out;
  out.reserve(in.size() * 2 - 1);
  for (size_t i = 0; i + 1 < in.size(); ++i) {
    out.push_back(in[i]);
    out.push_back(0.5f * (in[i] + in[i + 1]));
  }
  out.push_back(in.back());
  return out;
}

void relaxOnHost(std::vector<float>& v, int steps) {
  std::vector<float> next(v);
  for (int s = 0; s < steps; ++s) {
    for (size_t i = 1; i + 1 < v.size(); ++i) next[i] = 0.5f * v[i] + 0.25f * (v[i - 1] + v[i + 1]);
    v.swap(next);
  }
}

}  // namespace fair

int main() {
  using namespace fair;
  bool failed = false;
  bool wrong = false;
  try {
    std::vector<float> reference;
    for (int i = 0; i < 65; ++i) reference.push_back(0.1f * i + 3.0f * std::sin(0.7f * i));

    MeshRelaxer relaxer(4096, std::make_unique<LaplaceSmoother>());
    relaxer.setProfile(reference);
    for (int level = 0; level < 4; ++level) {
      relaxer.relax(3);
      relaxOnHost(reference, 6);
      std::vector<float> got = relaxer.profile();
      float worst = 0.0f;
      for (size_t i = 0; i < reference.size(); ++i) worst = std::fmax(worst, std::fabs(got[i] - reference[i]));
      std::printf("level %d: %zu vertices, deviation %g\n", level, reference.size(), worst);
      if (worst > 1e-3f) wrong = true;
      reference = subdivide(reference);
      relaxer.setProfile(reference);
    }
  } catch (const std::exception& e) {
    std::printf("error: %s\n", e.what());
    failed = true;
  }
  std::puts(!failed && !wrong ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
