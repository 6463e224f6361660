// RUN: %check %s cudagraph-sync-call
//
// What turns a status into another word for it says whether a call succeeded.

#include <cuda_runtime.h>

enum class Result { Good, Bad, Busy };

static Result toResult(cudaError_t e) {
  return e == cudaSuccess ? Result::Good : Result::Bad;
}

static Result inDetail(cudaError_t e) {
  switch (e) {
  case cudaSuccess:
    return Result::Good;
  case cudaErrorNotReady:
    return Result::Busy;
  default:
    return Result::Bad;
  }
}

void ternary(cudaStream_t s) {
  cudaGraph_t g;
  if (toResult(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)) ==
      Result::Good) {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
    toResult(cudaStreamEndCapture(s, &g));
  }
  cudaStreamSynchronize(s);
}

void switched(cudaStream_t s) {
  cudaGraph_t g;
  if (inDetail(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)) !=
      Result::Good)
    return;
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  inDetail(cudaStreamEndCapture(s, &g));
  cudaStreamSynchronize(s);
}
