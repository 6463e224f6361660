// Forward propagation of joint loads through a manipulator whose tools can be exchanged at run time.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace arm {

void cudaOk(cudaError_t rc, const char* file, int line) {
  if (rc != cudaSuccess) {
    std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(rc));
    std::exit(EXIT_FAILURE);
  }
}
#define CUDA_OK(x) ::arm::cudaOk((x), __FILE__, __LINE__)

__global__ void clearLoads(float* load, int samples) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < samples) load[t] = 0.0f;
}

__global__ void addLink(float* load, const float* angle, int samples, float moment) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < samples) load[t] += moment * cosf(angle[t]);
}

enum LinkFlag : std::uint32_t { kDriven = 1u << 0, kDetached = 1u << 1, kPayload = 1u << 2 };

struct Link {
  float moment = 0.0f;
  std::uint32_t flags = 0;
  std::vector<std::unique_ptr<Link>> children;

  bool has(LinkFlag f) const { return (flags & f) != 0; }
  Link& attach(float m, std::uint32_t f) {
    children.push_back(std::make_unique<Link>());
    children.back()->moment = m;
    children.back()->flags = f;
    return *children.back();
  }
};

class Tree {
 public:
  Link& root() { return root_; }
  const Link& root() const { return root_; }
  unsigned revision() const { return revision_; }

  void setDetached(Link& link, bool detached) {
    link.flags = detached ? link.flags | kDetached : link.flags & ~std::uint32_t(kDetached);
    ++revision_;
  }

 private:
  Link root_;
  unsigned revision_ = 0;
};

template <class F>
class Finally {
 public:
  explicit Finally(F f) : f_(f) {}
  Finally(const Finally&) = delete;
  ~Finally() { f_(); }

 private:
  F f_;
};

class LoadSolver {
 public:
  LoadSolver(const Tree& tree, const float* angle, float* load, int samples, cudaStream_t stream)
      : tree_(tree), angle_(angle), load_(load), samples_(samples), stream_(stream) {}
  LoadSolver(const LoadSolver&) = delete;
  LoadSolver& operator=(const LoadSolver&) = delete;
  ~LoadSolver() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  void tick() {
    if (!current()) rebuild();
    CUDA_OK(cudaGraphLaunch(exec_, stream_));
  }

 private:
  bool current() const { return exec_ != nullptr && builtFor_ == tree_.revision(); }

  void rebuild() {
    if (exec_) CUDA_OK(cudaGraphExecDestroy(exec_));
    cudaGraph_t graph = nullptr;
    {
      CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
      const Finally close([&] { CUDA_OK(cudaStreamEndCapture(stream_, &graph)); });
      clearLoads<<<blocks(), kBlock, 0, stream_>>>(load_, samples_);
      CUDA_OK(cudaGetLastError());
      descend(tree_.root());
    }
    CUDA_OK(cudaGraphInstantiate(&exec_, graph, 0));
    CUDA_OK(cudaGraphDestroy(graph));
    builtFor_ = tree_.revision();
  }

  void descend(const Link& link) const {
    if (link.has(kDetached)) return;
    addLink<<<blocks(), kBlock, 0, stream_>>>(load_, angle_, samples_, link.moment);
    CUDA_OK(cudaGetLastError());
    for (const auto& child : link.children) descend(*child);
  }

  int blocks() const { return (samples_ + kBlock - 1) / kBlock; }

  static constexpr int kBlock = 128;
  const Tree& tree_;
  const float* const angle_;
  float* const load_;
  const int samples_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  unsigned builtFor_ = 0;
};

}  // namespace arm

int main() {
  using namespace arm;
  constexpr int kSamples = 256;
  std::vector<float> angle(kSamples), load(kSamples);
  for (int t = 0; t < kSamples; ++t) angle[t] = 0.01f * float(t);
  cudaStream_t stream;
  float *dAngle, *dLoad;
  CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_OK(cudaMalloc(&dAngle, kSamples * sizeof(float)));
  CUDA_OK(cudaMalloc(&dLoad, kSamples * sizeof(float)));
  CUDA_OK(cudaMemcpyAsync(dAngle, angle.data(), kSamples * sizeof(float), cudaMemcpyHostToDevice, stream));

  Tree tree;
  tree.root().moment = 8.0f;
  Link& elbow = tree.root().attach(4.0f, kDriven);
  elbow.attach(2.0f, kDriven);
  Link& gripper = elbow.attach(1.0f, kPayload);
  gripper.attach(0.5f, kPayload);

  bool right = true;
  {
    LoadSolver solver(tree, dAngle, dLoad, kSamples, stream);
    for (const bool detached : {false, false, true, false}) {
      if (gripper.has(kDetached) != detached) tree.setDetached(gripper, detached);
      solver.tick();
      CUDA_OK(cudaMemcpyAsync(load.data(), dLoad, kSamples * sizeof(float), cudaMemcpyDeviceToHost, stream));
      CUDA_OK(cudaStreamSynchronize(stream));
      const float total = detached ? 14.0f : 15.5f;
      for (int t = 0; t < kSamples; ++t) right = right && std::fabs(load[t] - total * std::cos(angle[t])) < 1e-3f;
    }
  }
  CUDA_OK(cudaFree(dLoad));
  CUDA_OK(cudaFree(dAngle));
  CUDA_OK(cudaStreamDestroy(stream));
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
