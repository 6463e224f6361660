// NOLINT at the call, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-device-allocation

static void allocate(size_t n) {
  float *p;
  cudaMalloc(&p, n); // NOLINT
  cudaMalloc(&p, n); // NOLINT(cudagraph-device-allocation)
  // NOLINTNEXTLINE
  cudaMalloc(&p, n);
  // NOLINTBEGIN(cudagraph-device-allocation)
  cudaMalloc(&p, n);
  cudaFree(p);
  // NOLINTEND(cudagraph-device-allocation)
  cudaMalloc(&p, n); // NOLINT(cudagraph-pinned-allocation)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaFree(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree' frees device memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
}

struct Quiet {
  float *p;
  explicit Quiet(size_t n) { cudaMalloc(&p, n); }
};

static float *step(size_t n) {
  Quiet q(n); // NOLINT(cudagraph-device-allocation)
  return q.p;
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
