// Library routines that wait for their stream: those with a result on the host.

// RUN: %check %s cudagraph-sync-call,cudagraph-library-handle

#include <cublas_v2.h>

// A routine that returns its result to the host waits for it.
void dot(cublasHandle_t blas, float *x, float *host, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(blas, s);
  cublasSetPointerMode_v2(blas, CUBLAS_POINTER_MODE_HOST);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSdot_v2(blas, 4, x, 1, x, 1, host);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSdot' computes a scalar and, in host pointer mode, waits for it on its stream, which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode inside the library, which returns its own status [cudagraph-sync-call]
  cudaStreamEndCapture(s, g);
}
// A local variable is on the host in any pointer mode; a result in other memory
// may be on the device.
float local(cublasHandle_t blas, float *x, cudaStream_t s, cudaGraph_t *g) {
  float result;
  cublasSetStream_v2(blas, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSdot_v2(blas, 4, x, 1, x, 1, &result);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSdot' computes a scalar and, in host pointer mode, waits for it on its stream, which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode inside the library, which returns its own status [cudagraph-sync-call]
  cudaStreamEndCapture(s, g);
  return result;
}
void elsewhere(cublasHandle_t blas, float *x, float *result, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(blas, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSdot_v2(blas, 4, x, 1, x, 1, result);
  cudaStreamEndCapture(s, g);
}
