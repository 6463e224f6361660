// NOLINT in the host function, where it is enqueued, or at any step in between.

// RUN: %check %s cudagraph-host-callback

static void CUDART_CB calls(void *data) {
  auto side = *static_cast<cudaStream_t *>(data);
  cudaStreamSynchronize(side); // NOLINT
  cudaStreamSynchronize(side); // NOLINT(cudagraph-host-callback)
  // NOLINTNEXTLINE(cudagraph-host-callback)
  cudaStreamSynchronize(side);
  // NOLINTBEGIN(cudagraph-*)
  cudaStreamSynchronize(side);
  // NOLINTEND(cudagraph-*)
  cudaStreamSynchronize(side); // NOLINT(cudagraph-sync-call)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' is called in a host function of the graph; CUDA returns cudaErrorNotPermitted (800) on every replay [cudagraph-host-callback]
}

static void CUDART_CB quiet(void *data) { delete static_cast<int *>(data); }

static void CUDART_CB hushed(void *data) { delete static_cast<int *>(data); }

static void CUDART_CB finished(cudaStream_t, cudaError_t, void *) {}

static void enqueue(cudaStream_t s) {
  cudaLaunchHostFunc(s, hushed, new int);
}

void capture(cudaStream_t s, cudaStream_t *side, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(s, calls, side);
  cudaLaunchHostFunc(s, quiet, new int); // NOLINT(cudagraph-host-callback)
  enqueue(s); // NOLINT(cudagraph-host-callback)
  cudaStreamEndCapture(s, graph);
}

void callback(cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamAddCallback(s, finished, nullptr, 0); // NOLINT(cudagraph-host-callback)
  cudaStreamEndCapture(s, graph);
}
