// The size of an array is a constant: each iteration of a loop over it counts.

// RUN: %check %s cudagraph-stream-dependency --real-std

#include <array>
#include <iterator>

__global__ void k(float *x);

struct Lanes {
  cudaStream_t origin;
  cudaEvent_t start;
  std::array<cudaStream_t, 4> streams;
  std::array<cudaEvent_t, 2> events;
  std::array<cudaEvent_t, 4> own;

  void fork() {
    cudaEventRecord(start, origin);
    for (cudaStream_t s : streams)
      cudaStreamWaitEvent(s, start, 0);
  }
  void work(float *x) {
    for (unsigned i = 0; i < streams.size(); ++i)
      k<<<1, 1, 0, streams[i]>>>(x);
  }
  // Two streams share an event, which represents the later record.
  void joinShared() {
    for (unsigned i = 0; i < streams.size(); ++i)
      cudaEventRecord(events[i % events.size()], streams[i]);
    for (unsigned i = 0; i < streams.size(); ++i)
      cudaStreamWaitEvent(origin, events[i % events.size()], 0);
  }
  void joinInTurn() {
    for (unsigned i = 0; i < std::size(streams); ++i) {
      cudaEventRecord(events[i % events.size()], streams[i]);
      cudaStreamWaitEvent(origin, events[i % events.size()], 0);
    }
  }
  void joinOwn() {
    for (unsigned i = 0; i < streams.size(); ++i)
      cudaEventRecord(own[i], streams[i]);
    for (unsigned i = 0; i < own.size(); ++i)
      cudaStreamWaitEvent(origin, own[i], 0);
  }
};

void shared(Lanes &l, float *x, cudaGraph_t *g) {
  cudaStreamBeginCapture(l.origin, cudaStreamCaptureModeGlobal);
  l.fork();
  l.work(x);
  l.joinShared();
  cudaStreamEndCapture(l.origin, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'l.origin' with unjoined work of a forked stream
}
void inTurn(Lanes &l, float *x, cudaGraph_t *g) {
  cudaStreamBeginCapture(l.origin, cudaStreamCaptureModeGlobal);
  l.fork();
  l.work(x);
  l.joinInTurn();
  cudaStreamEndCapture(l.origin, g);
}
void own(Lanes &l, float *x, cudaGraph_t *g) {
  cudaStreamBeginCapture(l.origin, cudaStreamCaptureModeGlobal);
  l.fork();
  l.work(x);
  l.joinOwn();
  cudaStreamEndCapture(l.origin, g);
}
