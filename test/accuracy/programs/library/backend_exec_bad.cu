// Feature pipeline for an ad ranker: kernels come from named backends, observers see every node.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rank {

struct Tensor {
  float* data = nullptr;
  int size = 0;
};

inline void verify(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

__global__ void relu_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] > 0.f ? x[i] : 0.f;
}
__global__ void hard_swish_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= fminf(fmaxf(x[i] + 3.f, 0.f), 6.f) / 6.f;
}

using Kernel = std::function<cudaError_t(Tensor, cudaStream_t)>;
using Backend = std::map<std::string, Kernel>;

std::map<std::string, Backend>& backends() {
  static std::map<std::string, Backend> all{
      {"classic", {{"activation", [](Tensor t, cudaStream_t s) {
                      relu_kernel<<<(t.size + 127) / 128, 128, 0, s>>>(t.data, t.size);
                      return cudaGetLastError();
                    }}}},
      {"mobile", {{"activation", [](Tensor t, cudaStream_t s) {
                     hard_swish_kernel<<<(t.size + 127) / 128, 128, 0, s>>>(t.data, t.size);
                     return cudaGetLastError();
                   }}}}};
  return all;
}

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_node(const std::string& name) = 0;
};

class InvocationCounter final : public Observer {
 public:
  void on_node(const std::string& name) override { ++counts_[name]; }  // HAZARD host_logic #1
  int count(const std::string& name) const {
    const auto it = counts_.find(name);
    return it == counts_.end() ? 0 : it->second;
  }

 private:
  std::map<std::string, int> counts_;
};

class Pipeline {
 public:
  Pipeline(std::vector<std::string> nodes, Tensor io) : nodes_(std::move(nodes)), io_(io) {
    verify(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    use_backend("classic");
  }
  ~Pipeline() {
    invalidate();
    cudaStreamDestroy(stream_);
  }
  Pipeline(const Pipeline&) = delete;

  void attach(std::shared_ptr<Observer> o) { observers_.push_back(std::move(o)); }
  void use_backend(const std::string& name) {
    if (!backends().count(name)) throw std::invalid_argument(name);
    backend_ = name;
  }

  float run(float x) {
    const std::vector<float> host(io_.size, x);
    verify(cudaMemcpyAsync(io_.data, host.data(), io_.size * sizeof(float), cudaMemcpyHostToDevice, stream_));
    if (!exec_) exec_ = build();
    verify(cudaGraphLaunch(exec_, stream_));
    float out = 0.f;
    verify(cudaMemcpyAsync(&out, io_.data, sizeof out, cudaMemcpyDeviceToHost, stream_));
    verify(cudaStreamSynchronize(stream_));
    return out;
  }

 private:
  void notify(const std::string& n) {
    for (auto& o : observers_) o->on_node(n);  // HAZARD host_logic #1
  }

  cudaError_t emit() {
    for (const std::string& n : nodes_) {
      const Kernel& k = backends().at(backend_).at(n);  // HAZARD host_logic #2
      const cudaError_t rc = k(io_, stream_);  // HAZARD host_logic #2
      if (rc != cudaSuccess) return rc;
      notify(n);  // HAZARD host_logic #1
    }
    return cudaSuccess;
  }

  cudaGraphExec_t build() {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cudaError_t rc;
    try {
      rc = emit();
    } catch (...) {
      if (cudaStreamEndCapture(stream_, &g) == cudaSuccess && g) cudaGraphDestroy(g);
      throw;
    }
    verify(cudaStreamEndCapture(stream_, &g));
    if (rc == cudaSuccess) rc = cudaGraphInstantiate(&e, g, 0);
    cudaGraphDestroy(g);
    verify(rc);
    return e;
  }

  void invalidate() {
    if (exec_) cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }

  std::vector<std::string> nodes_;
  Tensor io_;
  std::string backend_;
  std::vector<std::shared_ptr<Observer>> observers_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace rank

int main() {
  rank::Tensor io;
  io.size = 300;
  rank::verify(cudaMalloc(&io.data, io.size * sizeof(float)));
  bool outputs = true, counts = false;
  {
    rank::Pipeline p({"activation"}, io);
    auto counter = std::make_shared<rank::InvocationCounter>();
    p.attach(counter);
    outputs = outputs && p.run(1.f) == 1.f;
    outputs = outputs && p.run(2.f) == 2.f;
    p.use_backend("mobile");
    const float v = p.run(1.f);
    outputs = outputs && v > 0.66f && v < 0.67f;
    counts = counter->count("activation") == 3;
    std::printf("mobile(1) = %.4f, observed %d runs\n", v, counter->count("activation"));
  }
  rank::verify(cudaFree(io.data));
  std::puts(!outputs && !counts ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
