// RUN: %check %s cudagraph-capture-scope --real-std

// One stream stands for the elements of an array that a loop creates. The
// capture begins on the first one and ends on an element with an unknown index,
// which may be the first one, or on the last one, which is in the capture.

#include "cuda_runtime.h"
#include <vector>

__global__ void work(float *Data, int N) { Data[N] = 1; }

void fork(std::vector<cudaStream_t> &Pool, float *Data) {
  cudaEvent_t E;
  cudaEventCreateWithFlags(&E, cudaEventDisableTiming);
  cudaEventRecord(E, Pool[0]);
  for (size_t I = 1; I < Pool.size(); ++I) {
    cudaStreamWaitEvent(Pool[I], E);
    work<<<1, 1, 0, Pool[I]>>>(Data, I);
    cudaEventRecord(E, Pool[I]);
    cudaStreamWaitEvent(Pool[0], E);
  }
}

void any(float *Data, int Lanes, int Which, cudaGraph_t *Graph) {
  std::vector<cudaStream_t> Pool(Lanes);
  for (int I = 0; I < Lanes; ++I)
    cudaStreamCreate(&Pool[I]);
  cudaStreamBeginCapture(Pool[0], cudaStreamCaptureModeGlobal);
  fork(Pool, Data);
  cudaStreamEndCapture(Pool[Which], Graph);
}

void other(float *Data, cudaGraph_t *Graph) {
  std::vector<cudaStream_t> Pool(3);
  for (int I = 0; I < 3; ++I)
    cudaStreamCreate(&Pool[I]);
  cudaStreamBeginCapture(Pool[0], cudaStreamCaptureModeGlobal);
  fork(Pool, Data);
  cudaStreamEndCapture(Pool[2], Graph);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture on stream 'Pool[2]', which is part of the capture; CUDA returns cudaErrorStreamCaptureUnmatched (903) in every capture mode [cudagraph-capture-scope]
}
