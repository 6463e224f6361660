// Begin and end calls whose result is not checked; reported only on request.

// RUN: %check %s cudagraph-ignored-result
// RUN: %check %s cudagraph-ignored-result --confidence=possible --suffix=POSSIBLE

#include <cassert>

__global__ void k(float *x);

void dropped(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-MESSAGES-POSSIBLE: :[[@LINE-1]]:3: warning: the result of 'cudaStreamBeginCapture' is ignored; a failed capture goes unnoticed [cudagraph-ignored-result]
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES-POSSIBLE: :[[@LINE-1]]:3: warning: the result of 'cudaStreamEndCapture' is ignored; a failed capture goes unnoticed [cudagraph-ignored-result]
}

#define CHECK(call)                                                            \
  if ((call) != cudaSuccess)                                                   \
  __builtin_trap()

void macro(float *x, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, s>>>(x);
  CHECK(cudaStreamEndCapture(s, g));
}
cudaError_t returned(float *x, cudaStream_t s, cudaGraph_t *g) {
  if (cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return e;
  k<<<1, 1, 0, s>>>(x);
  return cudaStreamEndCapture(s, g);
}
bool compared(float *x, cudaStream_t s, cudaGraph_t *g) {
  bool good = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess;
  k<<<1, 1, 0, s>>>(x);
  good &= cudaStreamEndCapture(s, g) == cudaSuccess;
  return good;
}
void kept(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  assert(e == cudaSuccess);
  k<<<1, 1, 0, s>>>(x);
  e = cudaStreamEndCapture(s, g);
  assert(e == cudaSuccess);
}
void check(cudaError_t e);
void function(float *x, cudaStream_t s, cudaGraph_t *g) {
  check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, s>>>(x);
  check(cudaStreamEndCapture(s, g));
}
