// NOLINT at the call, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-sync-call

static void at_the_call(cudaStream_t s) {
  cudaStreamSynchronize(s); // NOLINT
  cudaStreamSynchronize(s); // NOLINT(cudagraph-sync-call): waits on purpose
  cudaStreamSynchronize(s); // NOLINT(cudagraph-*)
  cudaStreamSynchronize(s); // NOLINT(bugprone-foo, cudagraph-sync-call)
  // NOLINTNEXTLINE(cudagraph-sync-call)
  cudaStreamSynchronize(s);
  // NOLINTBEGIN(cudagraph-sync-call)
  cudaStreamSynchronize(s);
  cudaDeviceSynchronize();
  // NOLINTEND(cudagraph-sync-call)
  cudaStreamSynchronize(s); // NOLINT(cudagraph-default-stream)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  // NOLINTNEXTLINE(bugprone-*)
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  // NOLINTNEXTLINE(cudagraph-sync-call)

  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}

// The finding is suppressed at the call in the region, but not on another path.
static void wait_for(cudaStream_t s) {
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}

static void only_suppressed(cudaStream_t s) {
  cudaStreamQuery(s);
}

static void middle(cudaStream_t s) {
  only_suppressed(s); // NOLINT(cudagraph-sync-call)
}

static void outer(cudaStream_t s) { middle(s); }

void capture() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  at_the_call(s);
  wait_for(s); // NOLINT(cudagraph-host-logic)
  outer(s);
  cudaStreamEndCapture(s, &graph);
}

// A comment at the beginning of the capture applies to the whole region.
static void from_suppressed_region(cudaStream_t s) { cudaStreamSynchronize(s); }

void suppressed_region() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); // NOLINT(cudagraph-sync-call)
  cudaDeviceSynchronize();
  from_suppressed_region(s);
  cudaStreamEndCapture(s, &graph);
}

// One chain is suppressed and the other is not: the finding remains.
static void shared(cudaStream_t s) {
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}

void two_paths() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  shared(s); // NOLINT(cudagraph-sync-call)
  cudaStreamEndCapture(s, &graph);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  shared(s);
  cudaStreamEndCapture(s, &graph);
}

// NOLINT in a macro's expansion.
#define CHECK(call)                                                            \
  if ((call) != cudaSuccess)                                                   \
    return;

void in_macro() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  CHECK(cudaStreamSynchronize(s)); // NOLINT(cudagraph-sync-call)
  CHECK(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}
