// A handle created by a lambda.

// RUN: %check %s cudagraph-library-handle

#include <cublas_v2.h>

void capture(float *x, cudaStream_t s, cudaGraph_t *g) {
  auto make = [] {
    cublasHandle_t h;
    cublasCreate_v2(&h);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasCreate' creates a cuBLAS handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
    return h;
  };
  cublasHandle_t before = make();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasHandle_t h = make();
  [&] {
    const float half = 0.5f;
    cublasSetStream_v2(h, s);
    cublasSscal_v2(h, 1, &half, x, 1);
  }();
  cudaStreamEndCapture(s, g);
  cublasDestroy_v2(before);
}
