// The same work in both branches, and code that rejects captures.

// RUN: %check %s

#include <cuda_runtime.h>
#include <stdexcept>

__global__ void fused(float *x);

static void helper(float *x, cudaStream_t s) { fused<<<1, 32, 0, s>>>(x); }

static bool capturing(cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  return status == cudaStreamCaptureStatusActive;
}

static void refuses(float *host, const float *x, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusActive)
    throw std::runtime_error("reads back");
  cudaMemcpyAsync(host, x, 64, cudaMemcpyDeviceToHost, s);
}

void capture(float *host, float *x, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  if (capturing(s))
    fused<<<1, 32, 0, s>>>(x);
  else
    helper(x, s);
  refuses(host, x, s);
  cudaStreamEndCapture(s, graph);
}
