// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL
// RUN: %check %s cudagraph-frozen-argument --real-std -- -DAGAIN

// A factory creates an object, calls a method that allocates its memory, and
// captures a graph that uses the memory. It may also fail during the capture.
// Later calls do not change the objects of earlier ones. (AGAIN: the factory
// calls the method again after the capture.)

#include "cuda_runtime.h"
#include <map>
#include <memory>

__global__ void evaluate(const float *In, float *Out) { Out[0] = In[0]; }

class Status {
public:
  Status(int Code = 0) : Code(Code) {}
  bool ok() const { return Code == 0; }

private:
  int Code;
};

static Status fromCuda(cudaError_t E) {
  return E == cudaSuccess ? Status() : Status(1);
}

#define RETURN_IF_ERROR(CALL)                                                  \
  do {                                                                         \
    Status Got = (CALL);                                                       \
    if (!Got.ok())                                                             \
      return Got;                                                              \
  } while (0)
#define CHECK(CALL) RETURN_IF_ERROR(fromCuda(CALL))

struct Plan {
  ~Plan() {
    if (Exec)
      cudaGraphExecDestroy(Exec);
    cudaFree(In);
    cudaFree(Out);
    cudaFreeHost(Readings);
    cudaFreeHost(Verdict);
  }
  Status allocate() {
    CHECK(cudaMalloc(&In, 1024));
    CHECK(cudaMalloc(&Out, 1024));
    CHECK(cudaMallocHost(&Readings, 1024));
    CHECK(cudaMallocHost(&Verdict, 1024));
    return Status();
  }
  cudaGraphExec_t Exec = nullptr;
  float *In = nullptr, *Out = nullptr, *Readings = nullptr, *Verdict = nullptr;
};

template <typename Body>
Status record(cudaStream_t Stream, cudaGraph_t *Graph, Body &&Enqueue) {
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal));
  Status Recorded = Enqueue(Stream);
  Status Ended = fromCuda(cudaStreamEndCapture(Stream, Graph));
  if (!Recorded.ok()) {
    if (Ended.ok())
      cudaGraphDestroy(*Graph);
    return Recorded;
  }
  return Ended;
}

class Service {
public:
  Status start() {
    CHECK(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking));
    return Status();
  }
  void setLimit(int Id, float Limit) { Limits[Id] = Limit; }
  Status prepare(int Id, std::shared_ptr<Plan> *Result) {
    auto P = std::make_shared<Plan>();
    RETURN_IF_ERROR(P->allocate());
    cudaGraph_t Graph = nullptr;
    RETURN_IF_ERROR(record(Stream, &Graph, [&](cudaStream_t S) -> Status {
      auto Limit = Limits.find(Id);
      if (Limit == Limits.end())
        return 3;
      CHECK(cudaMemcpyAsync(P->In, P->Readings, 4, cudaMemcpyHostToDevice, S));
      // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: the address 'P->In' of 'cudaMemcpyAsync' is set by 'Plan::allocate' while the graph exists; every replay will use the value from the capture
      evaluate<<<1, 32, 0, S>>>(P->In, P->Out);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the address 'P->In' of kernel 'evaluate' is set by 'Plan::allocate' while the graph exists; every replay will use the value from the capture
      CHECK(cudaGetLastError());
      CHECK(cudaMemcpyAsync(P->Verdict, P->Out, 4, cudaMemcpyDeviceToHost, S));
      // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: the address 'P->Verdict' of 'cudaMemcpyAsync' is set by 'Plan::allocate' while the graph exists; every replay will use the value from the capture
      return Status();
    }));
#ifdef AGAIN
    RETURN_IF_ERROR(P->allocate());
#endif
    CHECK(cudaGraphInstantiate(&P->Exec, Graph, 0));
    cudaGraphDestroy(Graph);
    *Result = std::move(P);
    return Status();
  }
  Status run(Plan &P) {
    CHECK(cudaGraphLaunch(P.Exec, Stream));
    CHECK(cudaStreamSynchronize(Stream));
    return Status();
  }

private:
  std::map<int, float> Limits;
  cudaStream_t Stream = nullptr;
};

int main() {
  Service S;
  std::shared_ptr<Plan> First, Second, Late;
  S.setLimit(1, 8);
  S.setLimit(2, 9);
  if (!S.start().ok() || !S.prepare(1, &First).ok() ||
      !S.prepare(2, &Second).ok())
    return 1;
  if (!S.run(*First).ok() || !S.run(*Second).ok())
    return 1;
  Status Prepared = S.prepare(3, &Late);
  return Prepared.ok() && !S.run(*Late).ok();
}
