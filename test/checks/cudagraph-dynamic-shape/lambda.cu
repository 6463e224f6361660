// Sizes that lambdas capture.

// RUN: %check %s cudagraph-dynamic-shape

__global__ void kernel(float *x, int n);

template <class F> cudaGraph_t graph_of(cudaStream_t s, F &&f) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f(s);
  cudaStreamEndCapture(s, &graph);
  return graph;
}

void capture(float *x, const int *count, int fixed) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  int n;
  cudaMemcpy(&n, count, sizeof(n), cudaMemcpyDeviceToHost);
  graph_of(s, [=](cudaStream_t t) {
    kernel<<<n, 32, 0, t>>>(x, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  });
  graph_of(s, [&, blocks = n / 32](cudaStream_t t) {
    kernel<<<blocks, 32, 0, t>>>(x, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  });
  graph_of(s, [=](cudaStream_t t) { kernel<<<fixed, 32, 0, t>>>(x, fixed); });
}
