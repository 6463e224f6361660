// Values that share their operands are examined once: as trees, the size of the
// grid would have 2^40 leaves and the condition 2^30.
//
// RUN: %check %s

#include <cuda_runtime.h>

__global__ void k(float *, int);

void sums(cudaStream_t s, float *p, int i, cudaGraph_t *g) {
  int n = i;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  n = n + n; n = n + n; n = n + n; n = n + n; n = n + n;
  n = n + n; n = n + n; n = n + n; n = n + n; n = n + n;
  n = n + n; n = n + n; n = n + n; n = n + n; n = n + n;
  n = n + n; n = n + n; n = n + n; n = n + n; n = n + n;
  n = n + n; n = n + n; n = n + n; n = n + n; n = n + n;
  n = n + n; n = n + n; n = n + n; n = n + n; n = n + n;
  n = n + n; n = n + n; n = n + n; n = n + n; n = n + n;
  n = n + n; n = n + n; n = n + n; n = n + n; n = n + n;
  k<<<n + 1, n, n, s>>>(p, n);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits
  cudaStreamEndCapture(s, g);
}

void conditions(cudaStream_t s, bool x, bool y, cudaGraph_t *g) {
  bool a = x, b = y;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  a = a && b, b = a || b, a = a && b, b = a || b, a = a && b, b = a || b;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (a)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits
  if (!a && b)
    cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize' waits
  cudaStreamEndCapture(s, g);
}
