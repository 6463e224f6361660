// The fork, the work, and the end call are several calls apart: the finding is
// at the end call, and a note names the work.

// RUN: %check %s cudagraph-stream-dependency

__global__ void k(float *x);

static void fork(cudaStream_t from, cudaStream_t to, cudaEvent_t e) {
  cudaEventRecord(e, from);
  cudaStreamWaitEvent(to, e, 0);
}

static void encode(float *x, cudaStream_t stream) {
  k<<<1, 1, 0, stream>>>(x);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: this work is not joined
}

static void finish(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work {{.*}}stream{{.*}}; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

void capture(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
             cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (global mode) begins here
  fork(s, side, e);
  encode(x, side);
  encode(x, s);
  finish(s, g);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'finish'
}

// The join is in a function that one caller does not call.
class Branches {
public:
  void begin(cudaStream_t s) { fork(s, stream_, event_); }
  void run(float *x) { cudaMemsetAsync(x, 0, 4, stream_); }
  void end(cudaStream_t s) { fork(stream_, s, event_); }

private:
  cudaStream_t stream_;
  cudaEvent_t event_;
};

void remembered(Branches &b, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  b.begin(s);
  b.run(x);
  b.end(s);
  cudaStreamEndCapture(s, g);
}
void forgotten(Branches &b, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  b.begin(s);
  b.run(x);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work {{.*}}stream{{.*}}; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

// An event from before the capture, two calls away.
static void after(cudaStream_t s, cudaEvent_t e) {
  cudaStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'e', which was recorded outside the capture{{,?}} while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905) in every capture mode [cudagraph-stream-dependency]
}
static void step(float *x, cudaStream_t s, cudaEvent_t loaded) {
  after(s, loaded);
  k<<<1, 1, 0, s>>>(x);
}
void load_then_capture(float *x, float *h, cudaStream_t s, cudaStream_t copy,
                       cudaEvent_t loaded, cudaGraph_t *g) {
  cudaMemcpyAsync(x, h, 4, cudaMemcpyHostToDevice, copy);
  cudaEventRecord(loaded, copy);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  step(x, s, loaded);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'step'
  cudaStreamEndCapture(s, g);
}
