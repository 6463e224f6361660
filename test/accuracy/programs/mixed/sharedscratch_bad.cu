// Molecular dynamics: force reduction and trajectory diagnostics share one scratch arena.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace md {

[[noreturn]] void die(const char* what, cudaError_t rc) {
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(rc));
  std::abort();
}
#define MD_CALL(f, ...)                                     \
  do {                                                      \
    const cudaError_t mdRc = f(__VA_ARGS__);                \
    if (mdRc != cudaSuccess) ::md::die(#f, mdRc);           \
  } while (0)

class DeviceBlock {
 public:
  explicit DeviceBlock(std::size_t bytes) : bytes_(bytes) { MD_CALL(cudaMalloc, &data_, bytes); }
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  ~DeviceBlock() { cudaFree(data_); }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

class ScratchArena {
 public:
  template <class T>
  T* acquire(std::size_t count) {
    const std::size_t wanted = count * sizeof(T);
    if (!block_ || block_->bytes() < wanted) block_.emplace(wanted);  // HAZARD dangling #1
    return static_cast<T*>(block_->data());
  }

 private:
  std::optional<DeviceBlock> block_;
};

__global__ void pairTerms(const float* x, float* terms, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) terms[i] = 0.5f * x[i] * x[i];
}

__global__ void gatherTerms(const float* terms, float* force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) force[i] = terms[i] + terms[(i + 1) % n];
}

__global__ void histogram(const float* x, unsigned* bins, int n, unsigned binCount) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[unsigned(x[i]) % binCount], 1u);
}

class ForceField {
 public:
  ForceField(std::shared_ptr<ScratchArena> scratch, const float* x, float* force, int atoms, cudaStream_t stream)
      : scratch_(std::move(scratch)), x_(x), force_(force), atoms_(atoms), stream_(stream) {}
  ForceField(const ForceField&) = delete;
  ForceField& operator=(const ForceField&) = delete;
  ~ForceField() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  cudaError_t compute() {
    if (!exec_) {
      float* const terms = scratch_->acquire<float>(std::size_t(atoms_));
      beginStep();
      evaluate(terms);
      endStep();
    }
    return cudaGraphLaunch(exec_, stream_);
  }

 private:
  void beginStep() { MD_CALL(cudaStreamBeginCapture, stream_, cudaStreamCaptureModeThreadLocal); }

  void evaluate(float* terms) {
    const int blocks = (atoms_ + 255) / 256;
    pairTerms<<<blocks, 256, 0, stream_>>>(x_, terms, atoms_);  // HAZARD dangling #1
    MD_CALL(cudaGetLastError);
    gatherTerms<<<blocks, 256, 0, stream_>>>(terms, force_, atoms_);  // HAZARD dangling #1
    MD_CALL(cudaGetLastError);
  }

  void endStep() {
    cudaGraph_t graph = nullptr;
    MD_CALL(cudaStreamEndCapture, stream_, &graph);
    MD_CALL(cudaGraphInstantiate, &exec_, graph, 0);
    MD_CALL(cudaGraphDestroy, graph);
  }

  std::shared_ptr<ScratchArena> scratch_;
  const float* const x_;
  float* const force_;
  const int atoms_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

class Diagnostics {
 public:
  Diagnostics(std::shared_ptr<ScratchArena> scratch, cudaStream_t stream) : scratch_(std::move(scratch)), stream_(stream) {}

  unsigned firstBin(const float* x, int atoms, unsigned bins) {
    unsigned* const counts = scratch_->acquire<unsigned>(bins);
    MD_CALL(cudaMemsetAsync, counts, 0, bins * sizeof(unsigned), stream_);
    histogram<<<(atoms + 255) / 256, 256, 0, stream_>>>(x, counts, atoms, bins);
    MD_CALL(cudaGetLastError);
    unsigned first = 0;
    MD_CALL(cudaMemcpyAsync, &first, counts, sizeof first, cudaMemcpyDeviceToHost, stream_);
    MD_CALL(cudaStreamSynchronize, stream_);
    return first;
  }

 private:
  std::shared_ptr<ScratchArena> scratch_;
  cudaStream_t stream_;
};

}  // namespace md

int main() {
  using namespace md;
  constexpr int kAtoms = 2 << 20;
  std::vector<float> x(kAtoms), force(kAtoms);
  for (int i = 0; i < kAtoms; ++i) x[i] = float(i % 97) * 0.25f;
  cudaStream_t stream;
  float *dx, *df;
  MD_CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
  MD_CALL(cudaMalloc, &dx, kAtoms * sizeof(float));
  MD_CALL(cudaMalloc, &df, kAtoms * sizeof(float));
  MD_CALL(cudaMemcpy, dx, x.data(), kAtoms * sizeof(float), cudaMemcpyHostToDevice);
  MD_CALL(cudaDeviceSynchronize);

  auto scratch = std::make_shared<ScratchArena>();
  auto forces = std::make_unique<ForceField>(scratch, dx, df, kAtoms, stream);
  Diagnostics diagnostics(scratch, stream);
  bool right = true;
  for (unsigned bins : {16u, 8u << 20, 64u}) {
    cudaError_t rc = forces->compute();
    if (rc == cudaSuccess) rc = cudaMemcpyAsync(force.data(), df, kAtoms * sizeof(float), cudaMemcpyDeviceToHost, stream);
    if (rc == cudaSuccess) rc = cudaStreamSynchronize(stream);
    if (rc != cudaSuccess) {
      std::puts("LABEL CONFIRMED");
      return 0;
    }
    for (int i = 0; i < kAtoms; ++i) {
      const float a = x[i], b = x[(i + 1) % kAtoms];
      right = right && std::fabs(force[i] - 0.5f * (a * a + b * b)) < 1e-2f;
    }
    right = right && diagnostics.firstBin(dx, kAtoms, bins) > 0;
  }
  forces.reset();
  MD_CALL(cudaFree, df);
  MD_CALL(cudaFree, dx);
  MD_CALL(cudaStreamDestroy, stream);
  std::puts(right ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
