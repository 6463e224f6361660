// RUN: %check %s cudagraph-concurrent-work --real-std
// RUN: %check %s cudagraph-concurrent-work --real-std -- -DARRAY
// RUN: %check %s cudagraph-concurrent-work --real-std --suffix=LEGAL -- -DOWN
// RUN: %check %s cudagraph-concurrent-work --real-std --suffix=LEGAL -- -DOWN -DARRAY
// RUN: %check %s cudagraph-concurrent-work --real-std --suffix=LEGAL -- -DOWN -DALONE

// A loop launches the graphs of two objects, each on its own stream. Both
// graphs write to the same memory. (OWN: each object has its own memory; ARRAY:
// the pointers to the objects are in an array, not in a vector; ALONE: the
// graph of the first object is launched alone before.)

#include "cuda_runtime.h"
#include <vector>

__global__ void smooth(const float *From, float *To) {
  To[threadIdx.x] = From[threadIdx.x] * 0.5f;
}

class Panel {
public:
  explicit Panel(float *Shared) : Tension(Shared) {
    cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
    cudaMalloc(&Height, 4096);
#ifdef OWN
    cudaMalloc(&Tension, 4096);
#endif
  }
  bool record() {
    cudaGraph_t Graph = nullptr;
    if (cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal))
      return false;
    smooth<<<4, 256, 0, Stream>>>(Height, Tension);
    return !cudaStreamEndCapture(Stream, &Graph) &&
           !cudaGraphInstantiate(&Exec, Graph, 0);
  }
  bool launch() { return !cudaGraphLaunch(Exec, Stream); }
  // CHECK-MESSAGES: :[[@LINE-1]]:27: warning: 'cudaGraphLaunch' launches a graph that shares 'Tension' with a graph on another stream, and kernel 'smooth' writes to it; CUDA returns success, and both graphs may run at the same time
  // CHECK-NOTES: :[[@LINE-2]]:27: note: the other graph is launched here
  // CHECK-NOTES: :[[@LINE-7]]:5: note: this kernel writes to it
  // CHECK-NOTES: :[[@LINE-4]]:27: note: record an event after the first launch, and make the stream of the second wait for it, or give each graph its own memory
  bool wait() const { return !cudaStreamSynchronize(Stream); }

private:
  float *Tension = nullptr, *Height = nullptr;
  cudaStream_t Stream = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

bool step(std::vector<Panel *> Panels) {
  bool Good = true;
  for (Panel *Each : Panels)
    Good = Good && Each->launch();
  for (Panel *Each : Panels)
    Good = Good && Each->wait();
  return Good;
}

int main() {
  float *Shared = nullptr;
  if (cudaMalloc(&Shared, 4096))
    return 1;
  Panel Warp(Shared), Weft(Shared);
  if (!Warp.record() || !Weft.record())
    return 1;
#ifdef ALONE
  if (!step({&Warp}) || !step({&Warp}))
    return 1;
#endif
#ifdef ARRAY
  Panel *Both[] = {&Warp, &Weft};
  for (Panel *Each : Both)
    if (!Each->launch())
      return 1;
  return cudaDeviceSynchronize();
#else
  return step({&Warp, &Weft}) ? 0 : 1;
#endif
}
