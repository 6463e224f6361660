// RUN: %check %s cudagraph-stream-dependency
// RUN: %check %s cudagraph-stream-dependency --suffix=LEGAL -- -DLANES=4
// RUN: %check %s cudagraph-stream-dependency --suffix=LEGAL -- -DDOUBLED

// Streams join pairwise, in a loop whose counter is halved or doubled. With
// three streams, the loop that halves joins only two. (LANES=4: with four
// streams, it joins all; DOUBLED: the other loop joins any number.)

#include "cuda_runtime.h"

#ifndef LANES
#define LANES 3
#endif

__global__ void fill(float *To) { To[threadIdx.x] = 1; }

template <int NumLanes> class Fan {
public:
  int capture() {
    cudaGraph_t Graph;
    for (int I = 0; I < NumLanes; ++I) {
      cudaStreamCreate(&Lanes[I]);
      cudaEventCreate(&Events[I]);
      cudaMalloc(&Data[I], 1024);
    }
    if (cudaStreamBeginCapture(Lanes[0], cudaStreamCaptureModeGlobal))
      return 1;
    cudaEventRecord(Events[0], Lanes[0]);
    for (int I = 1; I < NumLanes; ++I)
      cudaStreamWaitEvent(Lanes[I], Events[0], 0);
    for (int I = 0; I < NumLanes; ++I)
      fill<<<1, 32, 0, Lanes[I]>>>(Data[I]);
#ifdef DOUBLED
    for (int Stride = 1; Stride < NumLanes; Stride *= 2)
      for (int I = 0; I + Stride < NumLanes; I += 2 * Stride)
        join(I, I + Stride);
#else
    for (int Stride = NumLanes / 2; Stride > 0; Stride /= 2)
      for (int I = 0; I < Stride; ++I)
        join(I, I + Stride);
#endif
    if (cudaStreamEndCapture(Lanes[0], &Graph))
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamEndCapture' ends the capture of 'Lanes[0]' with unjoined work on stream 'Lanes[I]'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode
      return 1;
    return cudaGraphInstantiate(&Exec, Graph, 0);
  }
  int run() { return cudaGraphLaunch(Exec, Lanes[0]); }

private:
  void join(int To, int From) {
    cudaEventRecord(Events[From], Lanes[From]);
    cudaStreamWaitEvent(Lanes[To], Events[From], 0);
  }

  cudaStream_t Lanes[NumLanes];
  cudaEvent_t Events[NumLanes];
  float *Data[NumLanes];
  cudaGraphExec_t Exec = nullptr;
};

int main() {
  Fan<LANES> F;
  if (F.capture())
    return 1;
  return F.run() || F.run();
}
