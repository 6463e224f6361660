// Lambdas whose result is, or is not, the result of the call.

// RUN: %check %s cudagraph-ignored-result

#include <functional>

void f(float *x, cudaStream_t s, cudaGraph_t *g) {
  auto drop = [=] {
    cudaFreeAsync(x, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  };
  auto hand_on = [=] { return cudaFreeAsync(x, s); };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  drop();
  if (hand_on() != cudaSuccess)
    __builtin_trap();
  cudaStreamEndCapture(s, g);
}

// The lambda is stored and called later.
void kept(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::function<void()> release = [=] {
    cudaFreeAsync(x, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  release();
  cudaStreamEndCapture(s, g);
}
