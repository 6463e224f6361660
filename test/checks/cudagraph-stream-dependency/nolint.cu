// NOLINT at the call, at a step of its chain, and where the capture begins.

// RUN: %check %s cudagraph-stream-dependency

__global__ void k(float *x);

void at_the_call(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e,
                 cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
  k<<<1, 1, 0, t>>>(x);
  cudaStreamEndCapture(s, g); // NOLINT(cudagraph-stream-dependency)
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
  k<<<1, 1, 0, t>>>(x);
  // NOLINTNEXTLINE
  cudaStreamEndCapture(s, g);
}

void for_another_check(cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  cudaEventRecord(e, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamWaitEvent(s, e, 0); // NOLINT(cudagraph-sync-call)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'e', which was recorded outside the capture{{,?}} while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905) in every capture mode [cudagraph-stream-dependency]
  cudaStreamEndCapture(s, g);
}

void block(cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  cudaEventRecord(e, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // NOLINTBEGIN(cudagraph-stream-*)
  cudaStreamWaitEvent(s, e, 0);
  // NOLINTEND(cudagraph-stream-*)
  cudaStreamEndCapture(s, g);
}

void wait(cudaStream_t s, cudaEvent_t e) { cudaStreamWaitEvent(s, e, 0); }
void at_a_step(cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  cudaEventRecord(e, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  wait(s, e); // NOLINT
  cudaStreamEndCapture(s, g);
}

void at_the_begin(cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  cudaEventRecord(e, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); // NOLINT(cudagraph-stream-dependency)
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamEndCapture(s, g);
}
