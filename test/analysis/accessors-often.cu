// RUN: %check %s cudagraph-stream-dependency --confidence=certain
//
// Repeated calls to an accessor do not affect which stream waits for which.

__global__ void k(float *x);
class Holder {
public:
  explicit Holder(cudaStream_t s) : stream_(s) {}
  cudaStream_t &stream() { return stream_; }

private:
  cudaStream_t stream_;
};

#define FORK(h, t, e)                                                          \
  cudaStreamBeginCapture(h.stream(), cudaStreamCaptureModeGlobal);             \
  cudaEventRecord(e, h.stream());                                              \
  cudaStreamWaitEvent(t, e, 0);                                                \
  k<<<1, 1, 0, t>>>(x)
#define JOIN(h, t, e)                                                          \
  cudaEventRecord(e, t);                                                       \
  cudaStreamWaitEvent(h.stream(), e, 0)

void many(float *x, Holder &h, cudaStream_t t, cudaEvent_t e, cudaGraph_t *g) {
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
  FORK(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture
}

void legal(float *x, Holder &h, cudaStream_t t, cudaEvent_t e, cudaGraph_t *g) {
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
  FORK(h, t, e);
  JOIN(h, t, e);
  cudaStreamEndCapture(h.stream(), g);
}
