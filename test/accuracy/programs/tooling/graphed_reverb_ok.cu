#include <cuda_runtime.h>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace reverb {

inline void ck(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

class SharedPool {
 public:
  explicit SharedPool(size_t floats) : cap_(floats) { ck(cudaMalloc(&base_, floats * sizeof(float)), "pool"); }
  ~SharedPool() { cudaFree(base_); }
  float* scratch(size_t n) {
    if (n > cap_) throw std::length_error("pool");
    return base_;  // every graph of this manager overlays the same scratch
  }
 private:
  float* base_ = nullptr;
  size_t cap_;
};

__global__ void comb(const float* x, float* s, int n, float g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) s[i] = x[i] + (i >= 4 ? g * x[i - 4] : 0.f);
}
__global__ void allpass(const float* s, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.f * s[i];
}

struct ExecHandle {
  cudaGraphExec_t exec = nullptr;
  explicit ExecHandle(cudaGraphExec_t e) : exec(e) {}
  ExecHandle(const ExecHandle&) = delete;
  ExecHandle& operator=(const ExecHandle&) = delete;
  ~ExecHandle() { cudaGraphExecDestroy(exec); }
};
using ExecRef = std::shared_ptr<ExecHandle>;

struct StaticIO {
  float *in = nullptr, *out = nullptr;
  int n = 0;
  explicit StaticIO(int n_) : n(n_) {
    ck(cudaMalloc(&in, n * sizeof(float)), "in");
    ck(cudaMalloc(&out, n * sizeof(float)), "out");
    ck(cudaMemset(in, 0, n * sizeof(float)), "zero");
    ck(cudaDeviceSynchronize(), "zero");
  }
  ~StaticIO() { cudaFree(in); cudaFree(out); }
};

class GraphedCallable {
 public:
  GraphedCallable(ExecRef e, std::shared_ptr<StaticIO> io, cudaStream_t s) : exec_(std::move(e)), io_(std::move(io)), s_(s) {}
  std::vector<float> operator()(const std::vector<float>& x) {
    ck(cudaMemcpyAsync(io_->in, x.data(), io_->n * sizeof(float), cudaMemcpyHostToDevice, s_), "feed");
    ck(cudaGraphLaunch(exec_->exec, s_), "launch");
    std::vector<float> y(io_->n);
    ck(cudaMemcpyAsync(y.data(), io_->out, io_->n * sizeof(float), cudaMemcpyDeviceToHost, s_), "fetch");
    ck(cudaStreamSynchronize(s_), "fetch");
    return y;
  }
  cudaGraphExec_t exec() const { return exec_->exec; }
 private:
  ExecRef exec_;
  std::shared_ptr<StaticIO> io_;
  cudaStream_t s_;
};

class GraphManager {
 public:
  GraphManager() : pool_(4096) { ck(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream"); }
  ~GraphManager() {
    rooms_.clear();
    cudaStreamDestroy(s_);
  }
  GraphedCallable make_graphed(const std::string& room, int n, float gain, int warmup = 2) {
    auto io = std::make_shared<StaticIO>(n);
    float* scratch = pool_.scratch(n);
    auto body = [&] {
      comb<<<(n + 63) / 64, 64, 0, s_>>>(io->in, scratch, n, gain);
      allpass<<<(n + 63) / 64, 64, 0, s_>>>(scratch, io->out, n);
    };
    for (int i = 0; i < warmup; ++i) body();
    ck(cudaStreamSynchronize(s_), "warmup");
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    ck(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal), "begin");
    body();
    ck(cudaStreamEndCapture(s_, &g), "end");
    ck(cudaGraphInstantiate(&e, g, 0), "instantiate");
    ck(cudaGraphDestroy(g), "destroy");
    auto ref = std::make_shared<ExecHandle>(e);
    rooms_[room] = ref;
    return GraphedCallable(ref, std::move(io), s_);
  }
  bool current(cudaGraphExec_t e) const {
    for (auto& kv : rooms_)
      if (kv.second->exec == e) return true;
    return false;
  }
 private:
  SharedPool pool_;
  cudaStream_t s_ = nullptr;
  std::map<std::string, ExecRef> rooms_;
};

}  // namespace reverb

int main(int argc, char**) {
  try {
    reverb::GraphManager mgr;
    auto hall = mgr.make_graphed("hall", 128, 0.5f);
    auto plate = mgr.make_graphed("plate", 64, 0.25f);
    std::vector<float> x(256, 1.f);
    bool fine = hall(x)[10] == 3.f && plate(x)[10] == 2.5f;
    auto longer = mgr.make_graphed("hall", 256, 1.0f);
    fine = fine && longer(x)[200] == 4.f;
    x[6] = 5.f;
    auto y = hall(x);
    fine = fine && !mgr.current(hall.exec()) && argc > 0;
    fine = fine && y[10] == 7.f && y[6] == 11.f;
    std::printf("LABEL %s\n", fine ? "CONFIRMED" : "REFUTED");
  } catch (const std::exception& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
  return 0;
}
