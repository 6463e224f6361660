// RUN: %check %s cudagraph-stream-dependency
// RUN: %check %s cudagraph-stream-dependency --suffix=CALLED -- -DCALLED
// RUN: %check %s cudagraph-stream-dependency --suffix=READ -- -DREAD
// RUN: %check %s cudagraph-stream-dependency --suffix=LEGAL -- -DAPART
// RUN: %check %s cudagraph-stream-dependency --suffix=LEGAL -- -DWAIT
// RUN: %check %s cudagraph-stream-dependency --suffix=LEGAL -- -DSLICES

// Kernels receive memory in objects. Two branches of the graph write to the
// same memory. (CALLED: the kernel uses an operator of the object; READ: one
// branch writes, and the other one reads; APART: each branch has its own
// memory; WAIT: one branch waits for the other; SLICES: a member of the object
// selects the elements that a branch writes.)

#include "cuda_runtime.h"

struct View {
  float *Data;
  int Size, First;
  __device__ float &operator()(int I) const { return Data[I]; }
};
struct Input {
  const float *Data;
  int Size;
};

#ifdef CALLED
__global__ void relax(View To, float By) {
  int I = threadIdx.x;
  if (I < To.Size)
    To(I) = By;
}
#elif defined(SLICES)
__global__ void relax(View To, float By) {
  int I = threadIdx.x;
  if (I < To.Size)
    To.Data[To.First + I] = By;
}
#else
__global__ void relax(View To, float By) {
  int I = threadIdx.x;
  if (I >= To.Size)
    return;
  To.Data[I] = By;
}
#endif
__global__ void sum(Input From, float *To) { To[threadIdx.x] = From.Data[0]; }

class Solver {
public:
  int capture() {
    cudaGraph_t Graph;
    if (cudaStreamBeginCapture(Main, cudaStreamCaptureModeGlobal))
      return 1;
    cudaEventRecord(Begun, Main);
    cudaStreamWaitEvent(Side, Begun, 0);
    relax<<<1, 32, 0, Main>>>({Level, 32, 0}, 1);
#ifdef WAIT
    cudaEventRecord(Begun, Main);
    cudaStreamWaitEvent(Side, Begun, 0);
#endif
#ifdef APART
    relax<<<1, 32, 0, Side>>>({Other, 32, 32}, 2);
#elif defined(READ)
    sum<<<1, 32, 0, Side>>>(Input{Level, 32}, Total);
    // CHECK-MESSAGES-READ: :[[@LINE-1]]:5: warning: kernel 'sum' reads 'Input{Level, 32}', which kernel 'relax' writes on stream 'Main', without waiting for it; CUDA returns success, and replays may run both at the same time
#else
    View Second{Level, 32, 32};
    relax<<<1, 32, 0, Side>>>(Second, 2);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'relax' writes to 'Second', which kernel 'relax' also writes on stream 'Main', without waiting for it; CUDA returns success, and replays may run both at the same time
    // CHECK-MESSAGES-CALLED: :[[@LINE-2]]:5: warning: kernel 'relax' writes to 'Second', which kernel 'relax' also writes on stream 'Main', without waiting for it; CUDA returns success, and replays may run both at the same time
#endif
    cudaEventRecord(Done, Side);
    cudaStreamWaitEvent(Main, Done, 0);
    if (cudaStreamEndCapture(Main, &Graph))
      return 1;
    return cudaGraphInstantiate(&Exec, Graph, 0);
  }
  int setUp() {
    cudaStreamCreate(&Main);
    cudaStreamCreate(&Side);
    cudaEventCreate(&Begun);
    cudaEventCreate(&Done);
    cudaMalloc(&Other, 1024);
    cudaMalloc(&Total, 1024);
    return cudaMalloc(&Level, 1024);
  }
  int run() { return cudaGraphLaunch(Exec, Main); }

private:
  float *Level = nullptr, *Other = nullptr, *Total = nullptr;
  cudaStream_t Main = nullptr, Side = nullptr;
  cudaEvent_t Begun = nullptr, Done = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

int main() {
  Solver S;
  if (S.setUp() || S.capture())
    return 1;
  return S.run() || S.run();
}
