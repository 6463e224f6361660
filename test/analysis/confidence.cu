// Certain: every path from the begin call reaches the call, and stream and mode
// are known. Likely: only some paths reach it, or the outcome depends on an
// unknown kind or mode.

// RUN: %check %s --confidence=certain

#include <cstdio>
__global__ void k(float *x);
void straight(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k'
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaStreamEndCapture(s, g);
}
void some_paths(float *x, cudaGraph_t *g, int n) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (n > 3)
    cudaStreamSynchronize(s);
  for (int i = 0; i < n; i++)
    cudaMalloc(&x, 1);
  cudaStreamEndCapture(s, g);
}
static void callee(cudaStream_t s) { cudaStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:38: warning: 'cudaStreamSynchronize'
static void maybe(cudaStream_t s, int n) {
  if (n)
    cudaStreamSynchronize(s);
}
void chain(cudaGraph_t *g, int n) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  callee(s);
  maybe(s, n);
  cudaStreamEndCapture(s, g);
}
// The error checks in between do not lower the confidence.
#define CK(e)                                                                          \
  do {                                                                                 \
    cudaError_t e_ = (e);                                                              \
    if (e_ != cudaSuccess) {                                                           \
      fprintf(stderr, "%s\n", cudaGetErrorString(e_));                                 \
      return e_;                                                                       \
    }                                                                                  \
  } while (0)
cudaError_t checked(float *x, cudaStream_t s, cudaGraph_t *g) {
  CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, s>>>(x);
  CK(cudaGetLastError());
  CK(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:6: warning: 'cudaStreamSynchronize'
  CK(cudaStreamEndCapture(s, g));
  return cudaSuccess;
}
// The wait is refused in every mode; the mode affects only the allocation.
void unknown_mode(float *x, cudaStream_t s, cudaStreamCaptureMode m, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, m);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaMalloc(&x, 1);
  cudaStreamEndCapture(s, g);
}
void conditional_begin(float *x, cudaStream_t s, bool use, cudaGraph_t *g) {
  if (use)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  if (use)
    cudaStreamEndCapture(s, g);
}
struct Op {
  virtual void run(cudaStream_t s) = 0;
};
struct A : Op {
  void run(cudaStream_t s) override { cudaStreamSynchronize(s); }
};
struct B : Op {
  void run(cudaStream_t s) override { k<<<1, 1, 0, s>>>(nullptr); }
};
void one_of_several(Op *o, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  o->run(s);
  cudaStreamEndCapture(s, g);
}
