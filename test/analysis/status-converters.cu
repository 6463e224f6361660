// RUN: %check %s cudagraph-sync-call
//
// A function that converts a status shows whether a call succeeded.

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

// One converter calls another.
static bool isGood(Result r) { return r == Result::Good; }
static bool succeeded(cudaError_t e) { return !(toResult(e) != Result::Good); }
static int number(cudaError_t e) { return isGood(inDetail(e)) ? 0 : -1; }

void asked(cudaStream_t s) {
  cudaGraph_t g;
  if (succeeded(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))) {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
    succeeded(cudaStreamEndCapture(s, &g));
  }
  cudaStreamSynchronize(s);
}

void askedTwice(cudaStream_t s) {
  cudaGraph_t g;
  if (number(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)) != 0)
    return;
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  number(cudaStreamEndCapture(s, &g));
  cudaStreamSynchronize(s);
}

// Legal: it synchronizes where no capture is active.
void failed(cudaStream_t s) {
  cudaGraph_t g;
  if (!succeeded(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)))
    cudaStreamSynchronize(s);
  else
    number(cudaStreamEndCapture(s, &g));
}
