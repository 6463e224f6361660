// NOLINT at the call, at a step of its chain, and where the capture begins.

// RUN: %check %s cudagraph-ignored-result

static void release(float *x, cudaStream_t s) { cudaFreeAsync(x, s); }

void f(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaFreeAsync(x, s); // NOLINT(cudagraph-ignored-result)
  cudaFreeAsync(x, s); // NOLINT(cudagraph-device-allocation)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  // NOLINTNEXTLINE
  release(x, s);
  cudaStreamEndCapture(s, g);
  // NOLINTBEGIN(cudagraph-ignored-result)
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // NOLINTEND(cudagraph-ignored-result)
  cudaFreeAsync(x, s);
  cudaStreamEndCapture(s, g);
}
