// Captures that begin or end in the wrong place, or do not end.

// RUN: %check %s cudagraph-capture-scope

#include <thread>

__global__ void k(float *x);

// The capture must end on the stream on which it began, ...
void end_on_a_fork(cudaStream_t s, cudaStream_t side, cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  cudaStreamEndCapture(side, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture on stream 'side', which is part of the capture; CUDA returns cudaErrorStreamCaptureUnmatched (903) in every capture mode [cudagraph-capture-scope]
}
void end_on_another(cudaGraph_t *g) {
  cudaStream_t s, other;
  cudaStreamCreate(&s);
  cudaStreamCreate(&other);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaStreamEndCapture(other, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture on stream 'other', which is not part of the capture of 's'; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
}
void end_on_legacy(cudaGraph_t *g) {
  cudaStream_t blocking, free;
  cudaStreamCreate(&blocking);
  cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking);
  cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(0, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture on the legacy default stream while 'blocking' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-capture-scope]
  cudaStreamEndCapture(blocking, g);
  cudaStreamBeginCapture(free, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(0, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture on the legacy default stream while 'free' (non-blocking, global mode) captures; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
  cudaStreamEndCapture(free, g);
}

// ... and in the thread that began it, except in relaxed mode.
void end_in_a_thread(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread t([&] { cudaStreamEndCapture(s, g); });
  // CHECK-MESSAGES: :[[@LINE-1]]:23: warning: 'cudaStreamEndCapture' ends the capture on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureWrongThread (908) in global mode [cudagraph-capture-scope]
  t.join();
}

// Captures that begin twice, or on a stream that cannot begin a capture.
void twice(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on stream 's', which is capturing; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
  cudaStreamEndCapture(s, g);
}
void on_a_fork(cudaStream_t s, cudaStream_t side, cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on stream 'side', which is part of the capture; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
  cudaStreamEndCapture(s, g);
}
void round_a_loop(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  for (int i = 0; i < n; ++i) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamBeginCapture' begins a capture on stream 's', which is capturing; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
    if (i == 7)
      continue;
    k<<<1, 1, 0, s>>>(x);
    cudaStreamEndCapture(s, g);
  }
}
void legacy(cudaGraph_t *g) {
  cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on the legacy default stream; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode{{.*}} [cudagraph-capture-scope]
  cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on the legacy default stream; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode{{.*}} [cudagraph-capture-scope]
  struct {
    cudaStream_t stream = nullptr;
  } context;
  cudaStreamBeginCapture(context.stream, cudaStreamCaptureModeThreadLocal);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on the legacy default stream; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode{{.*}} [cudagraph-capture-scope]
  cudaStreamEndCapture(context.stream, g);
}
void legacy_beside(cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-capture-scope]
  cudaStreamEndCapture(s, g);
}

// Exits that leave the capture open.
int returns(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (n == 0)
    return 0;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  return n;
}
void returns_nothing(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < n; ++i) {
    if (i == 7)
      return;
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
    k<<<1, 1, 0, s>>>(x);
  }
  cudaStreamEndCapture(s, g);
}
void throws(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (n < 0)
    throw n;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this {{.*}} leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

// A graph cannot be launched on a capturing stream.
void launch(cudaStream_t s, cudaStream_t side, cudaEvent_t e, cudaGraphExec_t exec,
            cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaGraphLaunch(exec, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphLaunch' launches a graph on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
  cudaStreamEndCapture(s, g);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  cudaGraphLaunch(exec, side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphLaunch' launches a graph on stream 'side', which is part of the capture; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
  cudaEventRecord(e, side);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamEndCapture(s, g);
}

// With a blocking capture stream, even a query of the legacy stream is refused.
void ask(cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCaptureStatus status;
  unsigned long long id;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamIsCapturing(0, &status);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamIsCapturing' queries the capture status of the legacy default stream while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode{{.*}} [cudagraph-capture-scope]
  cudaStreamGetCaptureInfo(0, &status, &id);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamGetCaptureInfo' queries the capture status of the legacy default stream while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode{{.*}} [cudagraph-capture-scope]
  cudaStreamEndCapture(s, g);
}
