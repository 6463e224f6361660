// NOLINT in all its forms, at the call and at any step of its chain.
// RUN: %not %driver --cuda-path=mock --quiet %s -- | FileCheck %s --implicit-check-not=warning:

void helper(cudaStream_t s) { cudaStreamSynchronize(s); }

void capture(cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamSynchronize(s);
  // CHECK: nolint.cu:[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaStreamSynchronize(s); // NOLINT
  cudaStreamSynchronize(s); // NOLINT(cudagraph-sync-call)
  cudaStreamSynchronize(s); // NOLINT(cudagraph-*)
  cudaStreamSynchronize(s); // NOLINT(cudagraph-host-logic)
  // CHECK: nolint.cu:[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  // NOLINTNEXTLINE
  cudaStreamSynchronize(s);
  // NOLINTBEGIN(cudagraph-sync-call)
  cudaStreamSynchronize(s);
  // NOLINTEND(cudagraph-sync-call)
  cudaStreamSynchronize(s);
  // CHECK: nolint.cu:[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaStreamEndCapture(s, &graph);
}

void at_a_step_of_the_chain(cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  helper(s); // NOLINT(cudagraph-sync-call)
  cudaStreamEndCapture(s, &graph);
}

void at_the_begin(cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed); // NOLINT
  cudaStreamSynchronize(s);
  cudaStreamEndCapture(s, &graph);
}
