// A routine with a result runs on the capturing stream with a handle whose
// pointer mode is unknown: one finding, and none about its stream.

// RUN: %check %s cudagraph-sync-call,cudagraph-library-handle,cudagraph-default-stream --confidence=possible

#include <cublas_v2.h>

void unknown(cublasHandle_t h, float *x, float *r, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(h, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSdot_v2(h, 1, x, 1, x, 1, r);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSdot' computes a scalar and, in host pointer mode, waits for it on its stream, which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the handle's results are in host memory [cudagraph-sync-call]
  cudaStreamEndCapture(s, g);
}
void on_the_device(cublasHandle_t h, float *x, float *r, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(h, s);
  cublasSetPointerMode_v2(h, CUBLAS_POINTER_MODE_DEVICE);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSdot_v2(h, 1, x, 1, x, 1, r);
  cudaStreamEndCapture(s, g);
}
