// A wait for an event that was not recorded in the capture joins nothing,
// regardless of where the event is stored.

// RUN: %check %s cudagraph-stream-dependency --real-std

#include <vector>
__global__ void k(float *x);
struct Lanes {
  cudaStream_t origin;
  cudaEvent_t fork;
  std::vector<cudaStream_t> side;
  std::vector<cudaEvent_t> done;
  cudaGraph_t g;
};
void no_record(Lanes &l) {
  cudaStreamBeginCapture(l.origin, cudaStreamCaptureModeGlobal);
  cudaEventRecord(l.fork, l.origin);
  cudaStreamWaitEvent(l.side[1], l.fork, 0);
  k<<<1, 1, 0, l.side[1]>>>(nullptr);
  cudaStreamWaitEvent(l.origin, l.done[1], 0);
  cudaStreamEndCapture(l.origin, &l.g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'l.origin'
}
void recorded(Lanes &l) {
  cudaStreamBeginCapture(l.origin, cudaStreamCaptureModeGlobal);
  cudaEventRecord(l.fork, l.origin);
  cudaStreamWaitEvent(l.side[1], l.fork, 0);
  k<<<1, 1, 0, l.side[1]>>>(nullptr);
  cudaEventRecord(l.done[1], l.side[1]);
  cudaStreamWaitEvent(l.origin, l.done[1], 0);
  cudaStreamEndCapture(l.origin, &l.g);
}
// The event is recorded under one name and waited for under another.
void other_name(Lanes &l, std::vector<cudaEvent_t> &events, int i) {
  cudaStreamBeginCapture(l.origin, cudaStreamCaptureModeGlobal);
  cudaEventRecord(l.fork, l.origin);
  cudaStreamWaitEvent(l.side[1], l.fork, 0);
  k<<<1, 1, 0, l.side[1]>>>(nullptr);
  cudaEventRecord(events[i], l.side[1]);
  cudaStreamWaitEvent(l.origin, l.done[1], 0);
  cudaStreamEndCapture(l.origin, &l.g);
}
void record_elsewhere(Lanes &l);
void opaque(Lanes &l) {
  cudaStreamBeginCapture(l.origin, cudaStreamCaptureModeGlobal);
  cudaEventRecord(l.fork, l.origin);
  cudaStreamWaitEvent(l.side[1], l.fork, 0);
  k<<<1, 1, 0, l.side[1]>>>(nullptr);
  record_elsewhere(l);
  cudaStreamWaitEvent(l.origin, l.done[1], 0);
  cudaStreamEndCapture(l.origin, &l.g);
}
