// Three numbers that CUDA receives by address: each creates a new value, and
// the table of values grows while it is read.
//
// RUN: %check %s

#include <cuda_runtime.h>

void f(cudaStream_t s, cudaGraph_t *g) {
  int a = 0, b = 1, c = 2, d = 3;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaGetDevice(&a);
  cudaGetDevice(&b);
  cudaGetDevice(&c);
  cudaGetDevice(&d);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits
  cudaStreamEndCapture(s, g);
}
