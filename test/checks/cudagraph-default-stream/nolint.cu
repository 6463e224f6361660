// NOLINT at the call, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-default-stream

__global__ void kernel(float *x);

static void helper(float *x) {
  kernel<<<1, 32>>>(x); // NOLINT
  kernel<<<1, 32>>>(x); // NOLINT(cudagraph-default-stream)
  kernel<<<1, 32>>>(x); // NOLINT(cudagraph-*,-warnings-as-errors)
  // NOLINTNEXTLINE(cudagraph-default-stream)
  kernel<<<1, 32>>>(x);
  // NOLINTBEGIN(cudagraph-default-stream)
  kernel<<<1, 32>>>(x);
  cudaMemsetAsync(x, 0, 4);
  // NOLINTEND(cudagraph-default-stream)
  kernel<<<1, 32>>>(x); // NOLINT(cudagraph-sync-call)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  // NOLINTBEGIN(cudagraph-sync-call)
  kernel<<<1, 32>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  // NOLINTEND(cudagraph-sync-call)
}

static void quiet_helper(float *x) { kernel<<<1, 32>>>(x); }

static void step(float *x) {
  quiet_helper(x); // NOLINT(cudagraph-default-stream)
}

void capture(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  helper(x);
  step(x);
  cudaStreamEndCapture(s, &graph);
}
