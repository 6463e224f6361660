// Only findings about known nodes are certain: copies on streams that may be
// capturing have less confidence, and those on other streams are not reported.

// RUN: %check %s cudagraph-dangling-memory
// RUN: %not %driver --cuda-path=mock --no-cache --quiet --confidence=certain \
// RUN:   --checks=cudagraph-dangling-memory %s -- \
// RUN:   | FileCheck %s --check-prefix=CERTAIN --implicit-check-not=warning:

#include <cuda_runtime.h>

static void upload(float *d, float value, cudaStream_t s) {
  cudaMemcpyAsync(d, &value, 4, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'value', a parameter of 'upload'; every replay will read 4 bytes of the stack frame of 'upload' [cudagraph-dangling-memory]
  // CERTAIN: streams.cu:[[@LINE-2]]:3: warning: 'cudaMemcpyAsync'
}
void known(float *d, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  upload(d, 1, s);
  cudaStreamEndCapture(s, graph);
}

static void perhaps(float *d, float value, cudaStream_t s) {
  cudaMemcpyAsync(d, &value, 4, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'value', a parameter of 'perhaps'; {{.*}} [cudagraph-dangling-memory]
}
void on_some_paths(float *d, bool fork, cudaEvent_t e, cudaGraph_t *graph) {
  cudaStream_t s, side;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  if (fork) {
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(side, e, 0);
  }
  perhaps(d, 1, side); // NOLINT(cudagraph-default-stream)
  cudaEventRecord(e, side);
  cudaStreamWaitEvent(s, e, 0); // NOLINT(cudagraph-stream-dependency)
  cudaStreamEndCapture(s, graph);
}

// Outside the capture, the copy runs once, while the frame exists.
static void elsewhere(float *d, float value, cudaStream_t s) {
  cudaMemcpyAsync(d, &value, 4, cudaMemcpyHostToDevice, s);
}
void outside(float *d, cudaGraph_t *graph) {
  cudaStream_t s, other;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  elsewhere(d, 1, other); // NOLINT(cudagraph-default-stream)
  cudaStreamEndCapture(s, graph);
}
