// A switch that the environment sets once for the process is initialization on
// first use; what is read at each call is not.

// RUN: %check %s cudagraph-host-logic

#include <cstdlib>

__global__ void fused(float *x);
__global__ void plain(float *x);

static bool fuses() {
  static int state = -1;
  if (state < 0) {
    const char *value = getenv("FUSE");
    state = value && *value == '1' ? 1 : 0;
  }
  return state == 1;
}

void on_first_use(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  if (fuses())
    fused<<<1, 32, 0, s>>>(x);
  else
    plain<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

void at_each_call(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  const char *value = getenv("FUSE");
  // CHECK-MESSAGES: :[[@LINE-1]]:23: warning: 'getenv' reads the environment
  if (value)
    fused<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}
