// RUN: %check %s cudagraph-host-logic --real-std
// RUN: %check %s cudagraph-host-logic --real-std --suffix=LEGAL -- -DTWICE

// Captured code computes the index of the other buffer and makes it the current
// one: the same as `Current ^= 1`. Each replay reads the first buffer again.
// (TWICE: the capture contains two steps, so each replay continues where the
// last one ended.)

#include "cuda_runtime.h"
#include <vector>

__global__ void relax(const float *From, float *To) {
  To[threadIdx.x] = From[threadIdx.x] * 0.5f;
}

class Field {
public:
  Field() {
    cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
    for (float *&Buffer : Buffers)
      cudaMalloc(&Buffer, 4096);
  }

  void load(const std::vector<float> &Values) {
    cudaMemcpy(Buffers[Current], Values.data(), 4096, cudaMemcpyHostToDevice);
  }

  bool record() {
    cudaGraph_t Graph;
    if (cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal) !=
        cudaSuccess)
      return false;
    step();
#ifdef TWICE
    step();
#endif
    if (cudaStreamEndCapture(Stream, &Graph) != cudaSuccess)
      return false;
    bool Made = cudaGraphInstantiate(&Exec, Graph, 0) == cudaSuccess;
    cudaGraphDestroy(Graph);
    return Made;
  }

  bool launch() { return cudaGraphLaunch(Exec, Stream) == cudaSuccess; }

  std::vector<float> values() const {
    std::vector<float> Result(1024);
    cudaMemcpy(Result.data(), Buffers[Current], 4096, cudaMemcpyDeviceToHost);
    return Result;
  }

private:
  void step() {
    const int Next = Current ^ 1;
    relax<<<1, 32, 0, Stream>>>(Buffers[Current], Buffers[Next]);
    Current = Next;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Current' changes during the capture of 'Stream' (non-blocking, thread-local mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
  }

  cudaStream_t Stream;
  cudaGraphExec_t Exec = nullptr;
  float *Buffers[2] = {};
  int Current = 0;
};

int main() {
  Field Heat;
  Heat.load(std::vector<float>(1024, 1.0f));
  if (!Heat.record())
    return 1;
  for (int I = 0; I < 4; ++I)
    Heat.launch();
  cudaDeviceSynchronize();
  return Heat.values()[0] == 0.0625f;
}
