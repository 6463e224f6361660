// Decoder step executor: nodes are resolved from an operator registry, the step is replayed per token.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace decode {

inline void throw_on(cudaError_t e, const char* where) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e));
}

constexpr int kMaxSeq = 128;
constexpr int kHidden = 64;

struct Session {
  float* hidden = nullptr;    // [kHidden]
  float* cache = nullptr;     // [kMaxSeq][kHidden]
  int length = 0;             // tokens decoded so far
};

__global__ void append_kv(const float* hidden, float* cache, int pos) {
  if (pos < kMaxSeq) cache[pos * kHidden + threadIdx.x] = hidden[threadIdx.x];
}
__global__ void project(float* hidden) { hidden[threadIdx.x] += 1.f; }

using Kernel = std::function<cudaError_t(Session&, cudaStream_t)>;

class Registry {
 public:
  static Registry& get() {
    static Registry r;
    return r;
  }
  bool add(std::string name, Kernel k) { return table_.emplace(std::move(name), std::move(k)).second; }
  const Kernel& lookup(const std::string& name) const { return table_.at(name); }

 private:
  std::unordered_map<std::string, Kernel> table_;
};

const bool reg_project = Registry::get().add("project", [](Session& ss, cudaStream_t st) {
  project<<<1, kHidden, 0, st>>>(ss.hidden);
  return cudaGetLastError();
});

const bool reg_append = Registry::get().add("append_kv", [](Session& ss, cudaStream_t st) {
  append_kv<<<1, kHidden, 0, st>>>(ss.hidden, ss.cache, ss.length);  // HAZARD frozen
  return cudaGetLastError();
});

struct Node {
  std::string op;
  const Kernel* kernel;
};

class Executor {
 public:
  explicit Executor(const std::vector<std::string>& ops) {
    for (const std::string& op : ops) nodes_.push_back({op, &Registry::get().lookup(op)});
    throw_on(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  }
  ~Executor() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }
  Executor(const Executor&) = delete;

  void compile(Session& ss) {
    cudaGraph_t graph = nullptr;
    throw_on(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    cudaError_t body = cudaSuccess;
    for (const Node& n : nodes_) {
      body = (*n.kernel)(ss, stream_);
      if (body != cudaSuccess) break;
    }
    const cudaError_t end = cudaStreamEndCapture(stream_, &graph);
    cudaError_t inst = cudaSuccess;
    if (body == cudaSuccess && end == cudaSuccess) inst = cudaGraphInstantiate(&exec_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    throw_on(body, "record");
    throw_on(end, "end");
    throw_on(inst, "instantiate");
  }

  void step(Session& ss) {
    if (ss.length == kMaxSeq) throw std::length_error("sequence full");
    throw_on(cudaGraphLaunch(exec_, stream_), "launch");
    ++ss.length;
  }

  void wait() const { throw_on(cudaStreamSynchronize(stream_), "wait"); }

 private:
  std::vector<Node> nodes_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

Session make_session() {
  Session ss;
  throw_on(cudaMalloc(&ss.hidden, kHidden * sizeof(float)), "hidden");
  throw_on(cudaMalloc(&ss.cache, kMaxSeq * kHidden * sizeof(float)), "cache");
  throw_on(cudaMemset(ss.hidden, 0, kHidden * sizeof(float)), "hidden");
  throw_on(cudaMemset(ss.cache, 0, kMaxSeq * kHidden * sizeof(float)), "cache");
  throw_on(cudaDeviceSynchronize(), "session");
  return ss;
}

void drop_session(Session& ss) {
  cudaFree(ss.hidden);
  cudaFree(ss.cache);
}

}  // namespace decode

int main() {
  decode::Session ss = decode::make_session();
  bool right = true;
  {
    decode::Executor ex({"project", "append_kv"});
    ex.compile(ss);
    for (int t = 0; t < 10; ++t) ex.step(ss);
    ex.wait();
    for (int t = 0; t < ss.length; ++t) {
      float v = 0.f;
      decode::throw_on(cudaMemcpy(&v, ss.cache + t * decode::kHidden, sizeof v, cudaMemcpyDeviceToHost), "read");
      right = right && v == static_cast<float>(t + 1);
    }
    std::printf("decoded %d tokens, cache %s\n", ss.length, right ? "complete" : "incomplete");
  }
  decode::drop_session(ss);
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
}
