// NOLINT at the branch, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-capture-aware-branch

__global__ void fused(float *o);

static void branches(float *o, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusNone) // NOLINT
    fused<<<1, 32, 0, s>>>(o);
  if (status == cudaStreamCaptureStatusNone) // NOLINT(cudagraph-capture-aware-branch)
    fused<<<1, 32, 0, s>>>(o);
  // NOLINTNEXTLINE(cudagraph-capture-aware-branch)
  if (status == cudaStreamCaptureStatusNone)
    fused<<<1, 32, 0, s>>>(o);
  // NOLINTBEGIN(cudagraph-*)
  if (status == cudaStreamCaptureStatusNone)
    fused<<<1, 32, 0, s>>>(o);
  // NOLINTEND(cudagraph-*)
  if (status == cudaStreamCaptureStatusNone) // NOLINT(cudagraph-host-logic)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: while a stream captures, this skips 'fused'; replays lack this work [cudagraph-capture-aware-branch]
    fused<<<1, 32, 0, s>>>(o);
}

static void quiet(float *o, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusNone)
    fused<<<1, 32, 0, s>>>(o);
}

static void step(float *o, cudaStream_t s) {
  quiet(o, s); // NOLINT(cudagraph-capture-aware-branch)
}

void capture(float *o, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  branches(o, s);
  step(o, s);
  cudaStreamEndCapture(s, graph);
}
