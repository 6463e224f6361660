// NOLINT at the call, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-pinned-allocation

static float *allocate(size_t n) {
  float *p;
  cudaMallocHost(&p, n); // NOLINT
  cudaMallocHost(&p, n); // NOLINT(cudagraph-pinned-allocation)
  // NOLINTNEXTLINE(cudagraph-pinned-allocation)
  cudaMallocHost(&p, n);
  // NOLINTBEGIN(cudagraph-pinned-allocation)
  cudaMallocHost(&p, n);
  cudaFreeHost(p);
  // NOLINTEND(cudagraph-pinned-allocation)
  cudaMallocHost(&p, n); // NOLINT(cudagraph-device-allocation)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocHost' allocates pinned host memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  return p;
}

static float *quiet(size_t n) {
  float *p;
  cudaMallocHost(&p, n);
  return p;
}

static float *step(size_t n) {
  return quiet(n); // NOLINT(cudagraph-pinned-allocation)
}

void capture(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  allocate(n);
  step(n);
  cudaStreamEndCapture(s, &graph);
}
