// A loop records one event on each of several streams. A wait after the loop
// covers only the last record.

// RUN: %check %s cudagraph-stream-dependency --real-std

#include <cuda_runtime.h>
#include <vector>

__global__ void apply(float *p, int n);

struct Lanes {
  std::vector<cudaStream_t> Streams;
  std::vector<cudaEvent_t> Events;
  cudaEvent_t Start, Done;

  void fork(cudaStream_t Origin) {
    cudaEventRecord(Start, Origin);
    for (cudaStream_t s : Streams)
      cudaStreamWaitEvent(s, Start, 0);
  }
  void joinLast(cudaStream_t Origin) {
    for (cudaStream_t s : Streams)
      cudaEventRecord(Done, s);
    cudaStreamWaitEvent(Origin, Done, 0);
  }
  void joinEach(cudaStream_t Origin) {
    for (cudaStream_t s : Streams) {
      cudaEventRecord(Done, s);
      cudaStreamWaitEvent(Origin, Done, 0);
    }
  }
  void joinAll(cudaStream_t Origin) {
    for (size_t i = 0; i < Streams.size(); ++i)
      cudaEventRecord(Events[i], Streams[i]);
    for (size_t i = 0; i < Streams.size(); ++i)
      cudaStreamWaitEvent(Origin, Events[i], 0);
  }
  void work(float *p) {
    for (cudaStream_t s : Streams)
      apply<<<1, 32, 0, s>>>(p, 1);
  }
};

cudaGraph_t last(Lanes &l, cudaStream_t s, float *p) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  l.fork(s);
  l.work(p);
  l.joinLast(s);
  cudaStreamEndCapture(s, &g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work
  return g;
}

cudaGraph_t each(Lanes &l, cudaStream_t s, float *p) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  l.fork(s);
  l.work(p);
  l.joinEach(s);
  cudaStreamEndCapture(s, &g);
  return g;
}

cudaGraph_t all(Lanes &l, cudaStream_t s, float *p) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  l.fork(s);
  l.work(p);
  l.joinAll(s);
  cudaStreamEndCapture(s, &g);
  return g;
}

// The loop waits for another event.
cudaGraph_t forked(Lanes &l, cudaStream_t s, float *p) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(l.Start, s);
  for (cudaStream_t lane : l.Streams) {
    cudaStreamWaitEvent(lane, l.Start, 0);
    apply<<<1, 32, 0, lane>>>(p, 1);
    cudaEventRecord(l.Done, lane);
  }
  cudaStreamWaitEvent(s, l.Done, 0);
  cudaStreamEndCapture(s, &g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work
  return g;
}

// Each stream waits for the previous one: the last event includes the work of
// all of them.
cudaGraph_t chained(Lanes &l, cudaStream_t s, float *p) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(l.Done, s);
  for (cudaStream_t lane : l.Streams) {
    cudaStreamWaitEvent(lane, l.Done, 0);
    apply<<<1, 32, 0, lane>>>(p, 1);
    cudaEventRecord(l.Done, lane);
  }
  cudaStreamWaitEvent(s, l.Done, 0);
  cudaStreamEndCapture(s, &g);
  return g;
}

cudaGraph_t renamed(Lanes &l, cudaStream_t s, float *p) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(l.Start, s);
  cudaEvent_t previous = l.Start;
  for (cudaStream_t lane : l.Streams) {
    cudaStreamWaitEvent(lane, previous, 0);
    apply<<<1, 32, 0, lane>>>(p, 1);
    cudaEventRecord(l.Done, lane);
    previous = l.Done;
  }
  cudaStreamWaitEvent(s, l.Done, 0);
  cudaStreamEndCapture(s, &g);
  return g;
}

cudaGraph_t swapped(Lanes &l, cudaStream_t s, float *p) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(l.Start, s);
  for (cudaStream_t lane : l.Streams) {
    cudaStreamWaitEvent(lane, l.Start, 0);
    apply<<<1, 32, 0, lane>>>(p, 1);
    cudaEventRecord(l.Done, lane);
    std::swap(l.Start, l.Done);
  }
  cudaStreamWaitEvent(s, l.Start, 0);
  cudaStreamEndCapture(s, &g);
  return g;
}
