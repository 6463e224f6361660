// Macros that check the result, and one that does not.

// RUN: %check %s cudagraph-ignored-result

#define CHECK(call)                                                            \
  if ((call) != cudaSuccess)                                                   \
  __builtin_trap()
#define NOCHECK(call) call
#ifdef DEBUG
#define DEBUG_CHECK(call) CHECK(call)
#else
#define DEBUG_CHECK(call) (call)
#endif

void f(float *x, float *y, float *z, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaFreeAsync(x, s));
  NOCHECK(cudaFreeAsync(y, s));
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  DEBUG_CHECK(cudaFreeAsync(z, s));
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  CHECK(cudaStreamEndCapture(s, g));
}
