// Host functions that are lambdas.

// RUN: %check %s cudagraph-host-callback

struct Task {
  int *count;
  float *scratch;
};

void capture(cudaStream_t s, Task &lasting, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(
      s,
      [](void *data) {
        delete static_cast<Task *>(data);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: the host function frees its data, and every replay passes the same data to it again; the second replay will use freed memory [cudagraph-host-callback]
      },
      new Task);
  auto clear = [](void *data) {
    cudaMemset(static_cast<Task *>(data)->scratch, 0, 64);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemset' is called in a host function of the graph; CUDA returns cudaErrorNotPermitted (800) on every replay [cudagraph-host-callback]
  };
  cudaLaunchHostFunc(s, clear, &lasting);
  cudaLaunchHostFunc(
      s, [](void *data) { ++*static_cast<Task *>(data)->count; }, &lasting);
  cudaStreamEndCapture(s, graph);
}

void callback(cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  auto add = [&] {
    cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamAddCallback' adds a callback on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-host-callback]
  };
  add();
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls the lambda
  cudaStreamEndCapture(s, graph);
}
