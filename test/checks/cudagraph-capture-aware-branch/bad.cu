// Code that queries whether a stream is capturing and enqueues different work.

// RUN: %check %s cudagraph-capture-aware-branch

#include <cublas_v2.h>

__global__ void fused(const float *q, float *o);
__global__ void masked(const float *q, float *o);
__global__ void refine(float *x);

// Each branch launches a different kernel.
void attention(const float *q, float *o, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusActive)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: while a stream captures, this enqueues 'fused', otherwise 'masked'; unless both compute the same result, replays differ from the eager run [cudagraph-capture-aware-branch]
    fused<<<1, 32, 0, s>>>(q, o);
  else
    masked<<<1, 32, 0, s>>>(q, o);
}

// The buffer is cleared only if no capture is active.
void histogram(unsigned *bins, float *x, cudaStream_t s) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusNone)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: while a stream captures, this skips a memset; replays lack this work [cudagraph-capture-aware-branch]
    cudaMemsetAsync(bins, 0, 1024, s);
  refine<<<1, 32, 0, s>>>(x);
}

// An early return skips the rest.
cudaError_t epilogue(const float *q, float *o, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  fused<<<1, 32, 0, s>>>(q, o);
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusActive)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: while a stream captures, this skips 'masked'; replays lack this work [cudagraph-capture-aware-branch]
    return cudaGetLastError();
  masked<<<1, 32, 0, s>>>(q, o);
  return cudaGetLastError();
}

// One branch calls a library; the other launches a custom kernel.
void product(cublasHandle_t handle, const float *q, float *o, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  const float one = 1;
  cudaStreamIsCapturing(s, &status);
  bool capturing = status == cudaStreamCaptureStatusActive;
  if (capturing) {
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: while a stream captures, this enqueues 'fused', otherwise 'cublasSaxpy'; {{.*}} [cudagraph-capture-aware-branch]
    fused<<<1, 32, 0, s>>>(q, o);
    return;
  }
  cublasSaxpy(handle, 32, &one, q, 1, o, 1);
}

// Queried with cudaStreamGetCaptureInfo.
void information(float *x, const float *q, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamGetCaptureInfo(s, &status);
  if (status == cudaStreamCaptureStatusActive) {
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: while a stream captures, this enqueues 'fused', otherwise 'refine'; {{.*}} [cudagraph-capture-aware-branch]
    fused<<<1, 32, 0, s>>>(q, x);
  } else {
    for (int i = 0; i < 8; ++i)
      refine<<<1, 32, 0, s>>>(x);
  }
}

void capture(unsigned *bins, const float *q, float *o, cudaStream_t s,
             cudaGraph_t *graph) {
  attention(q, o, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  attention(q, o, s);
  histogram(bins, o, s);
  information(o, q, s);
  cudaStreamEndCapture(s, graph);
}

void capture_early_returns(cublasHandle_t handle, const float *q, float *o,
                           cudaStream_t s, cudaGraph_t *graph) {
  cublasSetStream(handle, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  product(handle, q, o, s);
  epilogue(q, o, s);
  cudaStreamEndCapture(s, graph);
}
