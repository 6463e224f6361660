// NOLINT where the node is created, or at any step of the chain that leads
// there.

// RUN: %check %s cudagraph-dangling-memory

static void copies(float *device, cudaStream_t s) {
  float a = 1;
  cudaMemcpyAsync(device, &a, 4, cudaMemcpyHostToDevice, s); // NOLINT
  cudaMemcpyAsync(device, &a, 4, cudaMemcpyHostToDevice, s); // NOLINT(cudagraph-dangling-memory)
  // NOLINTNEXTLINE(cudagraph-dangling-memory)
  cudaMemcpyAsync(device, &a, 4, cudaMemcpyHostToDevice, s);
  // NOLINTBEGIN(cudagraph-*)
  cudaMemcpyAsync(device, &a, 4, cudaMemcpyHostToDevice, s);
  // NOLINTEND(cudagraph-*)
  cudaMemcpyAsync(device, &a, 4, cudaMemcpyHostToDevice, s); // NOLINT(cudagraph-growing-workspace)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'a', a local variable of 'copies'; every replay will read 4 bytes of the stack frame of 'copies' [cudagraph-dangling-memory]
}

static void quiet(float *device, cudaStream_t s) {
  float a = 1;
  cudaMemcpyAsync(device, &a, 4, cudaMemcpyHostToDevice, s);
}

static void step(float *device, cudaStream_t s) {
  quiet(device, s); // NOLINT(cudagraph-dangling-memory)
}

void capture(float *device, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  copies(device, s);
  step(device, s);
  cudaStreamEndCapture(s, graph);
}

// The whole region.
void suppressed_region(float *device, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); // NOLINT(cudagraph-dangling-memory)
  quiet(device, s);
  cudaStreamEndCapture(s, graph);
}

// One path is suppressed; the other is not.
static void shared(float *device, cudaStream_t s) {
  float b = 2;
  cudaMemcpyAsync(device, &b, 4, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'b', a local variable of 'shared'; {{.*}} [cudagraph-dangling-memory]
}

void two_ways(float *device, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  shared(device, s); // NOLINT(cudagraph-dangling-memory)
  cudaStreamEndCapture(s, graph);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  shared(device, s);
  cudaStreamEndCapture(s, graph);
}
