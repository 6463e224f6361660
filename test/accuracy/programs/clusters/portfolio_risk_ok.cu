// Scenario risk of several trading desks. Every desk is revalued on a stream of its own; the desks that count
// towards the firm's limit are summed, the others are computed for their report only.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace risk {

constexpr int kScenarios = 4096;
constexpr int kThreads = 256;

inline void guard(cudaError_t e, const std::string& what) {
  if (e != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorString(e));
}

// Collects the first error of a series of calls that must not be interrupted.
class Series {
 public:
  Series& operator<<(cudaError_t e) {
    if (first_ == cudaSuccess) first_ = e;
    return *this;
  }
  cudaError_t result() const { return first_; }

 private:
  cudaError_t first_ = cudaSuccess;
};

template <class T>
using DevicePtr = std::unique_ptr<T, std::function<void(T*)>>;

template <class T>
DevicePtr<T> device_alloc(size_t n) {
  T* raw = nullptr;
  guard(cudaMalloc(&raw, n * sizeof(T)), "device memory");
  return DevicePtr<T>(raw, [](T* p) { cudaFree(p); });
}

__global__ void revalue(const int* shocks, int exposure, int offset, int* pnl) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  pnl[s] = exposure * shocks[s] + offset;
}

__global__ void add_desk(const int* pnl, int* firm) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  firm[s] += pnl[s];
}

__global__ void worst_case(const int* pnl, int* worst) {
  for (int s = threadIdx.x; s < kScenarios; s += blockDim.x) atomicMin(worst, pnl[s]);
}

struct DeskSpec {
  std::string name;
  int exposure = 0, offset = 0;
  bool in_limit = true;
};

struct Desk {
  DeskSpec spec;
  cudaStream_t stream = nullptr;
  DevicePtr<int> pnl, worst;
};

class Engine {
 public:
  explicit Engine(const std::vector<DeskSpec>& specs) : shocks_(device_alloc<int>(kScenarios)), firm_(device_alloc<int>(kScenarios)), firm_worst_(device_alloc<int>(1)) {
    guard(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking), "stream");
    guard(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "event");
    guard(cudaEventCreateWithFlags(&finished_, cudaEventDisableTiming), "event");
    for (const auto& spec : specs) {
      Desk desk{spec, nullptr, device_alloc<int>(kScenarios), device_alloc<int>(1)};
      guard(cudaStreamCreateWithFlags(&desk.stream, cudaStreamNonBlocking), "stream of " + spec.name);
      desks_.emplace(spec.name, std::move(desk));
    }
    build();
  }

  ~Engine() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (auto& [name, desk] : desks_) cudaStreamDestroy(desk.stream);
    cudaEventDestroy(ready_);
    cudaEventDestroy(finished_);
    cudaStreamDestroy(main_);
  }

  // Worst loss per desk; the firm is listed under its own name.
  std::map<std::string, int> run(const std::vector<int>& shocks) {
    guard(cudaMemcpyAsync(shocks_.get(), shocks.data(), kScenarios * sizeof(int), cudaMemcpyHostToDevice, main_), "shocks");
    guard(cudaGraphLaunch(exec_, main_), "launch");
    guard(cudaStreamSynchronize(main_), "wait");
    std::map<std::string, int> worst;
    for (const auto& [name, desk] : desks_)
      guard(cudaMemcpy(&worst[name], desk.worst.get(), sizeof(int), cudaMemcpyDeviceToHost), name);
    guard(cudaMemcpy(&worst["firm"], firm_worst_.get(), sizeof(int), cudaMemcpyDeviceToHost), "firm");
    return worst;
  }

 private:
  void build() {
    cudaGraph_t graph = nullptr;
    guard(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal), "begin");
    Series calls;
    calls << cudaMemsetAsync(firm_.get(), 0, kScenarios * sizeof(int), main_);
    calls << cudaMemsetAsync(firm_worst_.get(), 0, sizeof(int), main_);
    calls << cudaEventRecord(ready_, main_);
    for (auto& [name, desk] : desks_) {
      calls << cudaStreamWaitEvent(desk.stream, ready_, 0);
      calls << cudaMemsetAsync(desk.worst.get(), 0, sizeof(int), desk.stream);
      revalue<<<kScenarios / kThreads, kThreads, 0, desk.stream>>>(shocks_.get(), desk.spec.exposure, desk.spec.offset, desk.pnl.get());
      worst_case<<<1, kThreads, 0, desk.stream>>>(desk.pnl.get(), desk.worst.get());
    }
    for (auto& [name, desk] : desks_) {
      if (!desk.spec.in_limit) continue;  // joined below, the firm's sum does not need it
      calls << cudaEventRecord(finished_, desk.stream);
      calls << cudaStreamWaitEvent(main_, finished_, 0);
      add_desk<<<kScenarios / kThreads, kThreads, 0, main_>>>(desk.pnl.get(), firm_.get());
    }
    worst_case<<<1, kThreads, 0, main_>>>(firm_.get(), firm_worst_.get());
    for (auto& [name, desk] : desks_) {
      if (desk.spec.in_limit) continue;
      calls << cudaEventRecord(finished_, desk.stream);
      calls << cudaStreamWaitEvent(main_, finished_, 0);
    }
    const cudaError_t ended = cudaStreamEndCapture(main_, &graph);
    cudaError_t made = cudaErrorUnknown;
    if (ended == cudaSuccess && calls.result() == cudaSuccess) made = cudaGraphInstantiate(&exec_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    guard(calls.result(), "recording");
    guard(ended, "end");
    guard(made, "instantiate");
  }

  std::map<std::string, Desk> desks_;
  DevicePtr<int> shocks_, firm_, firm_worst_;
  cudaStream_t main_ = nullptr;
  cudaEvent_t ready_ = nullptr, finished_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

std::map<std::string, int> reference(const std::vector<DeskSpec>& specs, const std::vector<int>& shocks) {
  std::map<std::string, int> worst;
  for (int shock : shocks) {
    int firm = 0;
    for (const auto& [name, exposure, offset, in_limit] : specs) {
      const int pnl = exposure * shock + offset;
      worst[name] = std::min(worst[name], pnl);
      if (in_limit) firm += pnl;
    }
    worst["firm"] = std::min(worst["firm"], firm);
  }
  return worst;
}

}  // namespace risk

int main() {
  using namespace risk;
  const std::vector<DeskSpec> specs{{"rates", 12, 40, true}, {"credit", -7, 15, true}, {"research", 30, -5, false}, {"fx", 3, 2, true}};
  bool good = true;
  try {
    Engine engine(specs);
    for (int day = 0; day < 4; ++day) {
      std::vector<int> shocks(kScenarios);
      for (int s = 0; s < kScenarios; ++s) shocks[s] = (s * (37 + 2 * day)) % (301 + day) - 150;
      const auto worst = engine.run(shocks);
      std::printf("day %d: firm %d, research %d\n", day, worst.at("firm"), worst.at("research"));
      good = good && worst == reference(specs, shocks);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    good = false;
  }
  std::puts(good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
