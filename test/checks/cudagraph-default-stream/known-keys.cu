// RUN: %check %s cudagraph-default-stream --real-std
// RUN: %check %s cudagraph-default-stream --real-std -- -DCOUNT
// RUN: %check %s cudagraph-default-stream --real-std -- -DTRY
// RUN: %check %s cudagraph-default-stream --real-std -- -DINDEX
// RUN: %check %s cudagraph-default-stream --real-std -- -DERASED
// RUN: %check %s cudagraph-default-stream --real-std -- -DCLEARED
// RUN: %check %s cudagraph-default-stream --real-std --suffix=LEGAL -- -DONE_KEY
// RUN: %check %s cudagraph-default-stream --real-std --suffix=LEGAL -- -DONE_KEY -DCOUNT
// RUN: %check %s cudagraph-default-stream --real-std --suffix=LEGAL -- -DONE_KEY -DTRY
// RUN: %check %s cudagraph-default-stream --real-std --suffix=LEGAL -- -DONE_KEY -DINDEX
// RUN: %check %s cudagraph-default-stream --real-std --suffix=LEGAL -- -DBOUND
// RUN: %check %s cudagraph-default-stream --real-std --suffix=LEGAL -- -DBOUND -DONE_KEY -DCOUNT

// A pool creates a handle for each new name. The handle that the program binds
// to the capturing stream is that of the other name. (COUNT, TRY, INDEX: other
// ways to find a name; ERASED, CLEARED: the bound handle is removed; ONE_KEY:
// both uses have the same name; BOUND: both handles are bound.)

#include "cublas_v2.h"
#include "cuda_runtime.h"
#include <map>
#include <string>
#include <unordered_map>

class Handles {
public:
#if defined(COUNT)
  cublasHandle_t get(const std::string &Name) {
    if (All.count(Name) == 0) {
      cublasHandle_t New;
      cublasCreate(&New);
      All.insert({Name, New});
    }
    return All.at(Name);
  }
#elif defined(TRY)
  cublasHandle_t get(const std::string &Name) {
    auto [Position, IsNew] = All.try_emplace(Name, nullptr);
    if (IsNew)
      cublasCreate(&Position->second);
    return Position->second;
  }
#elif defined(INDEX)
  cublasHandle_t get(const std::string &Name) {
    cublasHandle_t &Handle = All[Name];
    if (!Handle)
      cublasCreate(&Handle);
    return Handle;
  }
#else
  cublasHandle_t get(const std::string &Name) {
    auto Position = All.find(Name);
    if (Position != All.end())
      return Position->second;
    cublasHandle_t New;
    cublasCreate(&New);
    return All.emplace(Name, New).first->second;
  }
#endif
  void bind(const std::string &Name, cudaStream_t To) {
    cublasSetStream(get(Name), To);
  }
  void remove(const std::string &Name) { All.erase(Name); }
  void clear() { All.clear(); }

private:
#ifdef COUNT
  std::unordered_map<std::string, cublasHandle_t> All;
#else
  std::map<std::string, cublasHandle_t> All;
#endif
};

int main() {
  float *Data;
  const float Factor = 2;
  cudaStream_t Stream;
  if (cudaMalloc(&Data, 4096) ||
      cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking))
    return 1;
  Handles Pool;
  Pool.bind("forward", Stream);
#ifdef BOUND
  Pool.bind("backward", Stream);
#endif
#ifdef ERASED
  Pool.remove("forward");
#elif defined(CLEARED)
  Pool.clear();
#endif
#if defined(ONE_KEY) || defined(ERASED) || defined(CLEARED)
  cublasHandle_t Used = Pool.get("forward");
#else
  cublasHandle_t Used = Pool.get("backward");
#endif
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  if (cudaStreamBeginCapture(Stream, cudaStreamCaptureModeRelaxed))
    return 1;
  cublasSscal(Used, 32, &Factor, Data, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSscal' computes on the legacy default stream while 'Stream' (non-blocking, relaxed mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph
  if (cudaStreamEndCapture(Stream, &Graph) ||
      cudaGraphInstantiate(&Exec, Graph, 0))
    return 1;
  return cudaGraphLaunch(Exec, Stream) || cudaGraphLaunch(Exec, Stream);
}
