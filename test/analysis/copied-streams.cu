// A created stream that is copied to a container: an element may be the stream
// that captures, so its wait may join the forked work.

// RUN: %check %s cudagraph-stream-dependency
// RUN: %check %s cudagraph-stream-dependency --real-std

#include <vector>

__global__ void kernel(float *x);

struct Keep {
  int id;
  cudaStream_t stream;
};
static void waits(cudaStream_t waiter, cudaEvent_t e) {
  std::vector<Keep> all;
  all.push_back(Keep{1, waiter});
  cudaStreamWaitEvent(all.back().stream, e, 0);
}

void joined(float *x, cudaEvent_t fork, cudaEvent_t join, cudaGraph_t *graph) {
  cudaStream_t s, side;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(side, fork, 0);
  kernel<<<1, 1, 0, side>>>(x);
  cudaEventRecord(join, side);
  waits(s, join);
  cudaStreamEndCapture(s, graph);
}

// The event is that of the fork, before the work of the other stream.
void unjoined(float *x, cudaEvent_t fork, cudaEvent_t join, cudaGraph_t *graph) {
  cudaStream_t s, side;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(side, fork, 0);
  kernel<<<1, 1, 0, side>>>(x);
  cudaEventRecord(join, side);
  waits(s, fork);
  cudaStreamEndCapture(s, graph);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'
}
