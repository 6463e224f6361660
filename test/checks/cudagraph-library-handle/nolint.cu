// NOLINT at the call, at a step of its chain, and where the capture begins.

// RUN: %check %s cudagraph-library-handle

#include <cublas_v2.h>

static void make(cublasHandle_t *h) { cublasCreate_v2(h); }

void f(cudaStream_t s, cudaGraph_t *g) {
  cublasHandle_t h;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasCreate_v2(&h); // NOLINT(cudagraph-library-handle)
  cublasDestroy_v2(h); // NOLINT(cudagraph-sync-call)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasDestroy' destroys a cuBLAS handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode inside the library, which returns its own status [cudagraph-library-handle]
  make(&h);            // NOLINT
  cudaStreamEndCapture(s, g);
  // NOLINTNEXTLINE(cudagraph-library-*)
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasCreate_v2(&h);
  cudaStreamEndCapture(s, g);
}
