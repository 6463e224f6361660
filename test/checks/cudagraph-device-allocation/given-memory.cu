// RUN: %check %s cudagraph-device-allocation
//
// Memory from before the capture is not the capture's own, regardless of its
// origin. Memory received during the capture may be the capture's own.

#include <cuda_runtime.h>

float *buffer();

void frees(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaFreeAsync(x, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFreeAsync' frees memory on stream 's', which is capturing; CUDA returns cudaErrorInvalidValue (1)
  cudaStreamEndCapture(s, g);
}

void asks(cudaStream_t s, cudaGraph_t *g) {
  float *x = buffer();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaFreeAsync(x, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFreeAsync' frees memory on stream 's', which is capturing; CUDA returns cudaErrorInvalidValue (1)
  cudaStreamEndCapture(s, g);
}

void legal(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  float *x = buffer();
  cudaFreeAsync(x, s);
  cudaStreamEndCapture(s, g);
}

int main() {
  cudaStream_t s;
  cudaGraph_t g;
  cudaStreamCreate(&s);
  frees(buffer(), s, &g);
  asks(s, &g);
  legal(s, &g);
}
