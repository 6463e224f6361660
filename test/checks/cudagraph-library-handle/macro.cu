// The library's own check macro.

// RUN: %check %s cudagraph-library-handle

#include <cublas_v2.h>
#include <cstdlib>

#define CUBLAS(call)                                                           \
  do {                                                                         \
    if ((call) != CUBLAS_STATUS_SUCCESS)                                       \
      exit(1);                                                                 \
  } while (0)
#define WITH_HANDLE(h)                                                         \
  cublasHandle_t h;                                                            \
  CUBLAS(cublasCreate_v2(&h))

void capture(float *x, cudaStream_t s, cudaGraph_t *g) {
  const float half = 0.5f;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  WITH_HANDLE(h);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasCreate' creates a cuBLAS handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
  CUBLAS(cublasSetStream_v2(h, s));
  CUBLAS(cublasSscal_v2(h, 1, &half, x, 1));
  CUBLAS(cublasDestroy_v2(h));
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cublasDestroy' destroys a cuBLAS handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode inside the library, which returns its own status [cudagraph-library-handle]
  cudaStreamEndCapture(s, g);
}
