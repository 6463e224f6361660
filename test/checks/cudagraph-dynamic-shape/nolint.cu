// NOLINT at the call, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-dynamic-shape

__global__ void kernel(float *x, int n);

static void launches(cudaStream_t s, float *x, int n) {
  kernel<<<n, 32, 0, s>>>(x, n); // NOLINT
  kernel<<<n, 32, 0, s>>>(x, n); // NOLINT(cudagraph-dynamic-shape)
  // NOLINTNEXTLINE(cudagraph-dynamic-shape)
  cudaMemsetAsync(x, 0, n, s);
  // NOLINTBEGIN(cudagraph-dynamic-shape)
  kernel<<<n, 32, 0, s>>>(x, n);
  // NOLINTEND(cudagraph-dynamic-shape)
  kernel<<<n, 32, 0, s>>>(x, n); // NOLINT(cudagraph-host-logic)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
}

static void quiet(cudaStream_t s, float *x, int n) { kernel<<<n, 32, 0, s>>>(x, n); }

static void step(cudaStream_t s, float *x, int n) {
  quiet(s, x, n); // NOLINT(cudagraph-dynamic-shape)
}

void capture(float *x, const int *count) {
  cudaStream_t s;
  cudaGraph_t graph;
  int n;
  cudaStreamCreate(&s);
  cudaMemcpy(&n, count, sizeof(n), cudaMemcpyDeviceToHost);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launches(s, x, n);
  step(s, x, n);
  cudaStreamEndCapture(s, &graph);
}
