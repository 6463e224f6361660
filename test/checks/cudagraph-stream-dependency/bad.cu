// Forks without a join, and events that the capture cannot depend on.

// RUN: %check %s cudagraph-stream-dependency

#include <vector>

__global__ void k(float *x);

void not_joined(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
                cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, side>>>(x);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

// The origin waits too early, for the wrong event, or for nothing.
void after_the_join(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
                    cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, side>>>(x);
  cudaEventRecord(e, side);
  cudaStreamWaitEvent(s, e, 0);
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDeviceToDevice, side);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void recorded_too_early(float *x, cudaStream_t s, cudaStream_t side,
                        cudaEvent_t e, cudaEvent_t f, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  cudaEventRecord(f, side);
  k<<<1, 1, 0, side>>>(x);
  cudaStreamWaitEvent(s, f, 0);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void wrong_event(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
                 cudaEvent_t f, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, side>>>(x);
  cudaEventRecord(f, side);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void nobody_waits(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
                  cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, side>>>(x);
  cudaEventRecord(e, side);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void external_only(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
                   cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, side>>>(x);
  cudaEventRecordWithFlags(e, side, cudaEventRecordExternal);
  cudaStreamWaitEvent(s, e, cudaEventWaitExternal);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

// Two forks.
void one_of_two(float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b,
                cudaEvent_t e, cudaEvent_t f, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(a, e, 0);
  cudaStreamWaitEvent(b, e, 0);
  k<<<1, 1, 0, a>>>(x);
  k<<<1, 1, 0, b>>>(x);
  cudaEventRecord(f, a);
  cudaStreamWaitEvent(s, f, 0);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'b'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void none_of_two(float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b,
                 cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(a, e, 0);
  cudaStreamWaitEvent(b, e, 0);
  k<<<1, 1, 0, a>>>(x);
  k<<<1, 1, 0, b>>>(x);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream{{s?}} 'a' and 'b'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
// An event represents only its last record.
void one_event_for_both(float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b,
                        cudaEvent_t e, cudaEvent_t f, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(a, e, 0);
  cudaStreamWaitEvent(b, e, 0);
  k<<<1, 1, 0, a>>>(x);
  k<<<1, 1, 0, b>>>(x);
  cudaEventRecord(f, a);
  cudaEventRecord(f, b);
  cudaStreamWaitEvent(s, f, 0);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'a'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

// Chains.
void last_not_joined(float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b,
                     cudaEvent_t e, cudaEvent_t f, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(a, e, 0);
  k<<<1, 1, 0, a>>>(x);
  cudaEventRecord(f, a);
  cudaStreamWaitEvent(b, f, 0);
  k<<<1, 1, 0, b>>>(x);
  cudaStreamWaitEvent(s, f, 0);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'b'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void middle_went_on(float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b,
                    cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(a, e, 0);
  k<<<1, 1, 0, a>>>(x);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  k<<<1, 1, 0, b>>>(x);
  k<<<1, 1, 0, a>>>(x);
  cudaEventRecord(e, b);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'a'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

// Loops without a join.
void n_streams(float *x, int n, cudaStream_t s, std::vector<cudaStream_t> &side,
               cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  for (int i = 0; i < n; ++i) {
    cudaStreamWaitEvent(side[i], e, 0);
    k<<<1, 1, 0, side[i]>>>(x);
  }
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side[i]'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void two_loops(float *x, int n, cudaStream_t s, cudaStream_t *side,
               cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  for (int i = 0; i < n; ++i)
    cudaStreamWaitEvent(side[i], e, 0);
  for (int i = 0; i < n; ++i)
    k<<<1, 1, 0, side[i]>>>(x);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side[i]'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void four_streams(float *x, cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  cudaStream_t side[4];
  for (auto &each : side)
    cudaStreamCreate(&each);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  for (int i = 0; i < 4; ++i) {
    cudaStreamWaitEvent(side[i], e, 0);
    k<<<1, 1, 0, side[i]>>>(x);
  }
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side[i]'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void recorded_in_a_loop(float *x, int n, cudaStream_t s, cudaStream_t *side,
                        cudaEvent_t e, cudaEvent_t *done, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  for (int i = 0; i < n; ++i) {
    cudaStreamWaitEvent(side[i], e, 0);
    k<<<1, 1, 0, side[i]>>>(x);
    cudaEventRecord(done[i], side[i]);
  }
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side[i]'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

// The fork or the join is only on some paths.
void fork_sometimes(float *x, bool overlap, cudaStream_t s, cudaStream_t side,
                    cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (overlap) {
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(side, e, 0);
    k<<<1, 1, 0, side>>>(x);
  }
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

// Events recorded elsewhere.
void before(cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  cudaEventRecord(e, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'e', which was recorded outside the capture{{,?}} while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905) in every capture mode [cudagraph-stream-dependency]
  cudaStreamEndCapture(s, g);
}
void meanwhile(cudaGraph_t *g) {
  cudaStream_t s, other;
  cudaEvent_t e;
  cudaStreamCreate(&s);
  cudaStreamCreate(&other);
  cudaEventCreate(&e);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(e, other);
  cudaStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'e', which was recorded outside the capture{{,?}} while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905) in every capture mode [cudagraph-stream-dependency]
  cudaStreamEndCapture(s, g);
}
void on_the_fork(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
                 cudaEvent_t old, cudaGraph_t *g) {
  cudaEventRecord(old, side);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  cudaStreamWaitEvent(side, old, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 'side' wait for event 'old', which was recorded outside the capture{{,?}} while 's' (thread-local mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905) in every capture mode [cudagraph-stream-dependency]
  cudaStreamEndCapture(s, g);
}
void merge(cudaStream_t s, cudaStream_t t, cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, t);
  cudaStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'e', which another capture recorded{{,?}} while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureMerge (902) in every capture mode [cudagraph-stream-dependency]
  cudaStreamEndCapture(t, g);
  cudaStreamEndCapture(s, g);
}
void of_an_earlier_capture(cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamEndCapture(s, g);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'e'{{.*}} while 's' (global mode) captures; CUDA returns cudaErrorInvalidValue (1) in every capture mode [cudagraph-stream-dependency]
  cudaStreamEndCapture(s, g);
}

// An event that was never recorded: CUDA returns success, and orders nothing.
void never(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' waits for event 'e', which was never recorded; CUDA returns success, but the graph has no dependency [cudagraph-stream-dependency]
  k<<<1, 1, 0, s>>>(x);
  cudaEventRecord(e, s);
  cudaStreamEndCapture(s, g);
}
void never_forked(float *x, cudaGraph_t *g) {
  cudaStream_t s, side;
  cudaEvent_t e;
  cudaStreamCreate(&s);
  cudaStreamCreate(&side);
  cudaEventCreate(&e);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, side>>>(x);
  cudaEventRecord(e, side);
  cudaStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'e', which was recorded outside the capture{{,?}} while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905) in every capture mode [cudagraph-stream-dependency]
  cudaStreamEndCapture(s, g);
}

// A function creates an event and records it again each time: the last record
// comes before the last work.
static void recorded(cudaEvent_t &e, cudaStream_t on) {
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  cudaEventRecord(e, on);
}
static void order(cudaStream_t from, cudaStream_t to) {
  cudaEvent_t e;
  recorded(e, from);
  cudaStreamWaitEvent(to, e, 0);
}
void work_behind_the_last(float *x, cudaStream_t s, cudaStream_t side, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  order(s, side);
  k<<<1, 1, 0, side>>>(x);
  order(side, s);
  k<<<1, 1, 0, side>>>(x);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'
}
