// Sums and sites of values wrap around, as C++'s unsigned numbers do; a sanitized
// build would stop at an overflow.
//
// RUN: %check %s

#include <cuda_runtime.h>

static cudaStream_t f0() { cudaStream_t s; cudaStreamCreate(&s); return s; }
static cudaStream_t f1() { return f0(); }
static cudaStream_t f2() { return f1(); }
static cudaStream_t f3() { return f2(); }
static cudaStream_t f4() { return f3(); }
static cudaStream_t f5() { return f4(); }
static cudaStream_t f6() { return f5(); }
static cudaStream_t f7() { return f6(); }
static cudaStream_t f8() { return f7(); }
static cudaStream_t f9() { return f8(); }

void nested(cudaGraph_t *g) {
  cudaStream_t s = f9();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits
  cudaStreamEndCapture(s, g);
}

void far(cudaStream_t *s, cudaGraph_t *g) {
  cudaStream_t *far = s + 9223372036854775807;
  cudaStreamBeginCapture(far[9223372036854775807], cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(far[9223372036854775807]);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits
  cudaStreamEndCapture(far[9223372036854775807], g);
}
