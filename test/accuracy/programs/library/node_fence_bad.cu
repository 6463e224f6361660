// Speech front end: a small node graph with hooks around every node; a debug hook fences after each one.
#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace speech {

class Node {
 public:
  explicit Node(std::string name) : name_(std::move(name)) {}
  virtual ~Node() = default;
  virtual cudaError_t enqueue(cudaStream_t s) = 0;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

class Hook {
 public:
  virtual ~Hook() = default;
  virtual cudaError_t before(const Node&, cudaStream_t) { return cudaSuccess; }
  virtual cudaError_t after(const Node&, cudaStream_t) { return cudaSuccess; }
};

__global__ void window_kernel(float* x) { x[threadIdx.x] *= 0.5f; }
__global__ void energy_kernel(const float* x, float* e) { atomicAdd(e, x[threadIdx.x] * x[threadIdx.x]); }

class WindowNode final : public Node {
 public:
  explicit WindowNode(float* x) : Node("window"), x_(x) {}
  cudaError_t enqueue(cudaStream_t s) override {
    window_kernel<<<1, 64, 0, s>>>(x_);
    return cudaGetLastError();
  }

 private:
  float* x_;
};

class EnergyNode final : public Node {
 public:
  EnergyNode(const float* x, float* e) : Node("energy"), x_(x), e_(e) {}
  cudaError_t enqueue(cudaStream_t s) override {
    energy_kernel<<<1, 64, 0, s>>>(x_, e_);
    return cudaGetLastError();
  }

 private:
  const float* x_;
  float* e_;
};

class FenceHook final : public Hook {
 public:
  FenceHook() : ok_(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming | cudaEventBlockingSync) == cudaSuccess) {}
  ~FenceHook() override {
    if (ok_) cudaEventDestroy(done_);
  }
  FenceHook(const FenceHook&) = delete;
  cudaError_t before(const Node&, cudaStream_t) override { return ok_ ? cudaSuccess : cudaErrorInvalidValue; }
  cudaError_t after(const Node&, cudaStream_t s) override {
    const cudaError_t e = cudaEventRecord(done_, s);
    if (e != cudaSuccess) return e;
    return cudaEventSynchronize(done_);  // HAZARD refused
  }

 private:
  cudaEvent_t done_ = nullptr;
  const bool ok_;
};

class Engine {
 public:
  explicit Engine(cudaStream_t s) : s_(s) {}
  ~Engine() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }
  Engine(const Engine&) = delete;

  template <class N, class... A> void emplace(A&&... a) { nodes_.push_back(std::make_unique<N>(std::forward<A>(a)...)); }
  void hook(std::shared_ptr<Hook> h) { hooks_.push_back(std::move(h)); }

  cudaError_t forward() {
    for (const auto& n : nodes_) {
      for (const auto& h : hooks_)
        if (const cudaError_t e = h->before(*n, s_); e != cudaSuccess) return e;
      if (const cudaError_t e = n->enqueue(s_); e != cudaSuccess) return e;
      for (const auto& h : hooks_)
        if (const cudaError_t e = h->after(*n, s_); e != cudaSuccess) return e;
    }
    return cudaSuccess;
  }

  cudaError_t freeze() {
    cudaError_t e = cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    const cudaError_t body = forward();
    cudaGraph_t g = nullptr;
    const cudaError_t end = cudaStreamEndCapture(s_, &g);
    e = body != cudaSuccess ? body : end;
    if (e == cudaSuccess) e = cudaGraphInstantiate(&exec_, g, 0);
    if (g) cudaGraphDestroy(g);
    return e;
  }
  cudaError_t replay() { return exec_ ? cudaGraphLaunch(exec_, s_) : cudaErrorNotReady; }

 private:
  cudaStream_t s_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::shared_ptr<Hook>> hooks_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace speech

int main() {
  float *x = nullptr, *energy = nullptr;
  std::vector<float> ones(64, 1.f);
  cudaStream_t s = nullptr;
  if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess || cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess ||
      cudaMalloc(&energy, sizeof(float)) != cudaSuccess || cudaMemset(energy, 0, sizeof(float)) != cudaSuccess ||
      cudaMemcpy(x, ones.data(), 64 * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  cudaError_t rc;
  float got = 0.f;
  {
    speech::Engine engine(s);
    engine.emplace<speech::WindowNode>(x);
    engine.emplace<speech::EnergyNode>(x, energy);
    engine.hook(std::make_shared<speech::FenceHook>());
    rc = engine.forward();
    if (rc != cudaSuccess) return 2;
    rc = engine.freeze();
    for (int i = 0; i < 2 && rc == cudaSuccess; ++i) rc = engine.replay();
    const cudaError_t done = cudaStreamSynchronize(s);
    if (rc == cudaSuccess) rc = done;
    if (cudaMemcpy(&got, energy, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  }
  std::printf("energy %.4f, %s\n", got, cudaGetErrorString(rc));
  cudaFree(x);
  cudaFree(energy);
  cudaStreamDestroy(s);
  std::puts(rc == cudaErrorCapturedEvent || rc == cudaErrorStreamCaptureUnsupported ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
