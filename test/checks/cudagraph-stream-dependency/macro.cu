// Calls in macros: the location is where the macro is expanded.

// RUN: %check %s cudagraph-stream-dependency

__global__ void k(float *x);

#define CHECK(call)                                                            \
  do {                                                                         \
    if ((call) != cudaSuccess)                                                 \
      return;                                                                  \
  } while (0)
#define FORK(s, t, e)                                                          \
  CHECK(cudaEventRecord(e, s));                                                \
  CHECK(cudaStreamWaitEvent(t, e, 0))
#define JOIN(s, t, e) FORK(t, s, e)

void joined(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e,
            cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  FORK(s, t, e);
  k<<<1, 1, 0, t>>>(x);
  JOIN(s, t, e);
  CHECK(cudaStreamEndCapture(s, g));
}

void not_joined(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e,
                cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  FORK(s, t, e);
  k<<<1, 1, 0, t>>>(x);
  CHECK(cudaStreamEndCapture(s, g));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 't'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

void joined_too_early(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e,
                      cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  FORK(s, t, e);
  k<<<1, 1, 0, t>>>(x);
  JOIN(s, t, e);
  k<<<1, 1, 0, t>>>(x);
  CHECK(cudaStreamEndCapture(s, g));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 't'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

void from_outside(float *x, cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  CHECK(cudaEventRecord(e, s));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamWaitEvent(s, e, 0));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'e', which was recorded outside the capture{{,?}} while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905) in every capture mode [cudagraph-stream-dependency]
  CHECK(cudaStreamEndCapture(s, g));
}
