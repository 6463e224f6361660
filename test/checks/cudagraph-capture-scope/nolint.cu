// NOLINT at the call, at a step of its chain, and where the capture begins.

// RUN: %check %s cudagraph-capture-scope

int leaves(int n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (n == 0)
    return 0; // NOLINT(cudagraph-capture-scope)
  cudaStreamEndCapture(s, g);
  return n;
}
int leaves_on_purpose(int n, cudaStream_t s, cudaGraph_t *g) {
  // NOLINTNEXTLINE(cudagraph-capture-scope)
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (n == 0)
    return 0;
  cudaStreamEndCapture(s, g);
  return n;
}

static void launch(cudaGraphExec_t exec, cudaStream_t s) { cudaGraphLaunch(exec, s); }
void at_a_step(cudaGraphExec_t exec, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch(exec, s); // NOLINT
  cudaStreamEndCapture(s, g);
}
void for_another_check(cudaGraphExec_t exec, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaGraphLaunch(exec, s); // NOLINT(cudagraph-sync-call)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphLaunch' launches a graph on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
  cudaStreamEndCapture(s, g);
}
void block(cudaStream_t s, cudaGraph_t *g) {
  // NOLINTBEGIN(cudagraph-*)
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // NOLINTEND(cudagraph-*)
  cudaStreamEndCapture(s, g);
}
