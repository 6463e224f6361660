// NOLINT at the call, at a step of its chain, and where the capture begins.

// RUN: %check %s cudagraph-unsupported-operation

static void copy(float *x, cudaStream_t s) { cudaMemcpyPeerAsync(x, 0, x, 1, 4, s); }

void f(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyPeerAsync(x, 0, x, 1, 4, s); // NOLINT(cudagraph-unsupported-operation)
  cudaMemcpyPeerAsync(x, 0, x, 1, 4, s); // NOLINT(cudagraph-default-stream)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyPeerAsync' copies memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  copy(x, s);                            // NOLINT
  cudaStreamEndCapture(s, g);
  // NOLINTNEXTLINE(cudagraph-unsupported-*)
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  copy(x, s);
  cudaStreamEndCapture(s, g);
}
