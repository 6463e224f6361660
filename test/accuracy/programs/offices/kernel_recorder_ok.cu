// recorder.hpp-style utility: a capture guard around lambdas, and a client that builds small operator chains.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// ------------------------------------------------------------------ recorder.hpp
namespace rec {

struct cuda_error : std::runtime_error {
  cudaError_t code;
  cuda_error(cudaError_t c, const std::string& op) : std::runtime_error(op + ": " + cudaGetErrorName(c)), code(c) {}
};
inline void check(cudaError_t c, const char* op) {
  if (c != cudaSuccess) throw cuda_error(c, op);
}

// Marks the time in which a stream records; nested recordings are a programming error.
class capture_guard {
 public:
  explicit capture_guard(cudaStream_t s) : stream_(s) {
    if (active() != 0) throw std::logic_error("nested recording");
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin");
    ++active();
  }
  ~capture_guard() {
    --active();
    if (!finished_) {  // leaving by an exception: end the capture and drop what was recorded
      cudaGraph_t g = nullptr;
      cudaStreamEndCapture(stream_, &g);
      if (g) cudaGraphDestroy(g);
    }
  }
  capture_guard(const capture_guard&) = delete;

  cudaGraph_t finish() {
    cudaGraph_t g = nullptr;
    finished_ = true;
    check(cudaStreamEndCapture(stream_, &g), "end");
    return g;
  }

 private:
  static int& active() {
    static thread_local int n = 0;
    return n;
  }
  cudaStream_t stream_;
  bool finished_ = false;
};

class graph_exec {
 public:
  graph_exec() = default;
  explicit graph_exec(cudaGraph_t g) {
    cudaError_t e = cudaGraphInstantiate(&exec_, g, 0);
    cudaGraphDestroy(g);
    check(e, "instantiate");
  }
  graph_exec(graph_exec&& o) noexcept : exec_(std::exchange(o.exec_, nullptr)) {}
  graph_exec& operator=(graph_exec&& o) noexcept {
    std::swap(exec_, o.exec_);
    return *this;
  }
  ~graph_exec() { if (exec_) cudaGraphExecDestroy(exec_); }
  explicit operator bool() const { return exec_ != nullptr; }
  void launch(cudaStream_t s) const { check(cudaGraphLaunch(exec_, s), "launch"); }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

template <class Body>
graph_exec record(cudaStream_t s, Body&& body) {
  capture_guard guard(s);
  body(s);
  return graph_exec(guard.finish());
}

}  // namespace rec

// ------------------------------------------------------------------ client program
__global__ void scale_op(float* d, int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] *= a;
}
__global__ void shift_op(float* d, int n, float b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] += b;
}

struct Op {
  std::string kind;
  float arg;
};

class Chain {
 public:
  explicit Chain(int n) : n_(n) {
    rec::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    rec::check(cudaMalloc(&data_, n * sizeof(float)), "buffer");
    std::vector<float> ones(n, 1.f);
    rec::check(cudaMemcpyAsync(data_, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream_), "upload");
    rec::check(cudaStreamSynchronize(stream_), "upload");
  }
  ~Chain() {
    cudaFree(data_);
    cudaStreamDestroy(stream_);
  }

  void build(const std::vector<Op>& ops) {
    exec_ = rec::record(stream_, [&](cudaStream_t s) {
      for (const Op& op : ops) {
        if (op.kind == "scale") {
          scale_op<<<(n_ + 127) / 128, 128, 0, s>>>(data_, n_, op.arg);
        } else if (op.kind == "shift") {
          shift_op<<<(n_ + 127) / 128, 128, 0, s>>>(data_, n_, op.arg);
        } else {
          throw std::invalid_argument("unknown operator " + op.kind);
        }
        rec::check(cudaGetLastError(), "operator");
      }
    });
  }

  // Graph when there is one, else the default chain: double every element.
  void run() {
    if (exec_) {
      exec_.launch(stream_);
    } else {
      scale_op<<<(n_ + 127) / 128, 128, 0, stream_>>>(data_, n_, 2.f);
      rec::check(cudaGetLastError(), "default chain");
    }
  }

  float front() {
    float v = 0.f;
    rec::check(cudaMemcpyAsync(&v, data_, sizeof v, cudaMemcpyDeviceToHost, stream_), "read");
    rec::check(cudaStreamSynchronize(stream_), "read");
    return v;
  }

 private:
  int n_;
  float* data_ = nullptr;
  cudaStream_t stream_ = nullptr;
  rec::graph_exec exec_;
};

// Builds and runs a chain from its description; a bad description means the default chain.
static bool process(Chain& chain, const std::vector<Op>& ops, const std::vector<float>& expected) {
  try {
    chain.build(ops);
  } catch (const std::invalid_argument& e) {
    std::printf("description rejected: %s\n", e.what());
  }
  try {
    for (float want : expected) {
      chain.run();
      float got = chain.front();
      std::printf("  got %g, want %g\n", got, want);
      if (got != want) return false;
    }
  } catch (const rec::cuda_error& e) {
    std::printf("  run failed: %s\n", e.what());
    return false;
  }
  return true;
}

int main() {
  bool good = false, fallback = true;
  try {
    Chain first(1000), second(500);
    good = process(first, {{"scale", 3.f}, {"shift", 1.f}}, {4.f, 13.f, 40.f});
    fallback = process(second, {{"scale", 3.f}, {"clamp", 1.f}}, {2.f, 4.f, 8.f});
  } catch (const std::exception& e) {
    std::printf("error: %s\n", e.what());
    good = false;
  }
  std::puts(good && fallback ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
