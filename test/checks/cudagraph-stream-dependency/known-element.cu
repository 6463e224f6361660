// RUN: %check %s cudagraph-stream-dependency --real-std
// RUN: %check %s cudagraph-stream-dependency --real-std --suffix=AFTER -- -DAFTER

// Two streams use memory of the same element, which one of them selects with a
// constant, and the other with a counter. The event that the second stream
// waits for is recorded before the first one writes. (AFTER: after it writes.)

#include "cuda_runtime.h"
#include <array>

__global__ void fill(float *To) { To[threadIdx.x] = 1; }
__global__ void average(const float *From, float *To) {
  To[threadIdx.x] = From[threadIdx.x] / 2;
}

struct Buffer {
  float *Data = nullptr;
  Buffer() { cudaMalloc(&Data, 1024); }
  ~Buffer() { cudaFree(Data); }
};
struct Bucket {
  Buffer Local, Averaged;
  cudaEvent_t Ready = nullptr;
};

class Trainer {
public:
  Trainer() {
    cudaStreamCreate(&Main);
    cudaStreamCreate(&Side);
    cudaEventCreate(&Done);
    for (Bucket &B : Buckets)
      cudaEventCreate(&B.Ready);
  }
  int capture() {
    cudaGraph_t Graph;
    if (cudaStreamBeginCapture(Main, cudaStreamCaptureModeGlobal))
      return 1;
    for (int I = 0; I < 2; ++I) {
#ifndef AFTER
      cudaEventRecord(Buckets[I].Ready, Main);
#endif
      backward(I);
#ifdef AFTER
      cudaEventRecord(Buckets[I].Ready, Main);
#endif
      cudaStreamWaitEvent(Side, Buckets[I].Ready, 0);
      average<<<1, 32, 0, Side>>>(Buckets[I].Local.Data,
                                  Buckets[I].Averaged.Data);
      // CHECK-MESSAGES: :[[@LINE-2]]:7: warning: kernel 'average' reads 'Buckets[I].Local.Data', which kernel 'fill' writes on another stream, without waiting for it; CUDA returns success, and replays may run both at the same time
    }
    cudaEventRecord(Done, Side);
    cudaStreamWaitEvent(Main, Done, 0);
    if (cudaStreamEndCapture(Main, &Graph))
      return 1;
    return cudaGraphInstantiate(&Exec, Graph, 0);
  }
  int run() { return cudaGraphLaunch(Exec, Main); }

private:
  void backward(int I) {
    if (I == 0)
      fill<<<1, 32, 0, Main>>>(Buckets[0].Local.Data);
    else
      fill<<<1, 32, 0, Main>>>(Buckets[1].Local.Data);
  }

  cudaStream_t Main = nullptr, Side = nullptr;
  cudaEvent_t Done = nullptr;
  cudaGraphExec_t Exec = nullptr;
  std::array<Bucket, 2> Buckets;
};

int main() {
  Trainer T;
  if (T.capture())
    return 1;
  return T.run();
}
