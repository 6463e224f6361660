// Same as per-thread.cu, in a file that is not a CUDA source.

// RUN: %check %s -- -DCUDA_API_PER_THREAD_DEFAULT_STREAM

#include <cuda_runtime_api.h>
#include <cuda.h>
void other(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}CUDA returns success, but the work runs once
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDefault, s);
  cudaMemcpy(x, x, 4, cudaMemcpyDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}CUDA returns success, but the work runs once
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDefault, cudaStreamLegacy);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}(906)
  cuStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}which is capturing
  cudaStreamEndCapture(s, g);
}
