// Macros that check, query, and launch.

// RUN: %check %s cudagraph-capture-aware-branch

#include <cstdlib>

__global__ void fused(const float *q, float *o);
__global__ void masked(const float *q, float *o);

#define CU_CHECK(call)                                                         \
  do {                                                                         \
    if ((call) != cudaSuccess)                                                 \
      abort();                                                                 \
  } while (0)

#define LAUNCH(kernel, s, ...) kernel<<<1, 32, 0, s>>>(__VA_ARGS__)

#define IF_EAGER(s)                                                            \
  cudaStreamCaptureStatus status;                                              \
  CU_CHECK(cudaStreamIsCapturing(s, &status));                                 \
  if (status == cudaStreamCaptureStatusNone)

static void checked(const float *q, float *o, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  CU_CHECK(cudaStreamIsCapturing(s, &status));
  if (status == cudaStreamCaptureStatusActive)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: while a stream captures, this enqueues 'fused', otherwise 'masked'; {{.*}} [cudagraph-capture-aware-branch]
    LAUNCH(fused, s, q, o);
  else
    LAUNCH(masked, s, q, o);
}

static void in_macro(const float *q, float *o, cudaStream_t s) {
  IF_EAGER(s)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: while a stream captures, this skips 'masked'; replays lack this work [cudagraph-capture-aware-branch]
    LAUNCH(masked, s, q, o);
}

static void waits(const float *q, float *o, cudaStream_t s) {
  LAUNCH(fused, s, q, o);
  IF_EAGER(s)
    CU_CHECK(cudaStreamSynchronize(s));
}

void capture(const float *q, float *o, cudaStream_t s, cudaGraph_t *graph) {
  CU_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  checked(q, o, s);
  in_macro(q, o, s);
  waits(q, o, s);
  CU_CHECK(cudaStreamEndCapture(s, graph));
}
