// Functions that return lambdas: each call creates a lambda with its own captures.

// RUN: %check %s cudagraph-stream-dependency,cudagraph-sync-call --real-std
// RUN: %check %s cudagraph-stream-dependency,cudagraph-sync-call --real-std --suffix=OPEN -- -DOPEN
// RUN: %check %s cudagraph-stream-dependency,cudagraph-sync-call --real-std --suffix=NEVER -- -DNEVER
// RUN: %check %s cudagraph-stream-dependency,cudagraph-sync-call --real-std --suffix=WAITS -- -DWAITS

#include "cuda_runtime.h"
#include <functional>
#include <utility>

__global__ void work(float *x, int by);

struct Rack {
  cudaStream_t audio, meters;
  cudaEvent_t tap, metered;
  float *x;
};
using Stage = std::function<void(Rack &)>;

Stage operator|(Stage a, Stage b) {
  return [a = std::move(a), b = std::move(b)](Rack &r) {
    a(r);
    b(r);
  };
}
Stage gain(int by) {
  return [=](Rack &r) { work<<<1, 1, 0, r.audio>>>(r.x, by); };
}
Stage meter() {
  return [](Rack &r) {
    cudaEventRecord(r.tap, r.audio);
    cudaStreamWaitEvent(r.meters, r.tap);
    work<<<1, 1, 0, r.meters>>>(r.x + 8, 1);
    cudaEventRecord(r.metered, r.meters);
  };
}
Stage sink() {
  return [](Rack &r) {
    cudaStreamWaitEvent(r.audio, r.metered);
    // CHECK-MESSAGES-NEVER: :[[@LINE-1]]:5: warning: 'cudaStreamWaitEvent' waits for event 'r.metered', which was never recorded; CUDA returns success, but the graph has no dependency [cudagraph-stream-dependency]
  };
}
Stage wait() {
  return [](Rack &r) {
    cudaStreamSynchronize(r.audio);
    // CHECK-MESSAGES-WAITS: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 'r.audio', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  };
}

void record(const Stage &chain) {
  Rack r{};
  cudaStreamCreateWithFlags(&r.audio, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&r.meters, cudaStreamNonBlocking);
  cudaEventCreate(&r.tap);
  cudaEventCreate(&r.metered);
  cudaMalloc(&r.x, 64);
  cudaGraph_t g;
  if (cudaStreamBeginCapture(r.audio, cudaStreamCaptureModeGlobal))
    return;
  chain(r);
  if (cudaStreamEndCapture(r.audio, &g))
    return;
  // CHECK-MESSAGES-OPEN: :[[@LINE-2]]:7: warning: 'cudaStreamEndCapture' ends the capture of 'r.audio' with unjoined work of a forked stream; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

int main() {
#ifdef OPEN
  record(gain(1) | meter() | gain(2));
#elif defined(NEVER)
  record(gain(1) | sink());
#elif defined(WAITS)
  record(gain(1) | wait() | gain(2) | gain(3));
#else
  record(gain(1) | meter() | gain(2) | sink());
#endif
}
