// The driver API, from plain C++.

// RUN: %check %s cudagraph-capture-scope

#include <cuda.h>

void end_on_a_fork(CUstream s, CUstream side, CUevent e, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuEventRecord(e, s);
  cuStreamWaitEvent(side, e, 0);
  cuStreamEndCapture(side, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamEndCapture' ends the capture on stream 'side', which is part of the capture; CUDA returns cudaErrorStreamCaptureUnmatched (903) in every capture mode [cudagraph-capture-scope]
}
void twice(CUstream s, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamBeginCapture' begins a capture on stream 's', which is capturing; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
  cuStreamEndCapture(s, g);
}
void legacy(CUgraph *g) {
  cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamBeginCapture' begins a capture on the legacy default stream; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode{{.*}} [cudagraph-capture-scope]
  cuStreamBeginCapture(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_GLOBAL);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamBeginCapture' begins a capture on the legacy default stream; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode{{.*}} [cudagraph-capture-scope]
}
CUresult early(CUdeviceptr x, int n, CUstream s, CUgraph *g) {
  CUresult r = cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  if (r != CUDA_SUCCESS)
    return r;
  if (n == 0)
    return CUDA_SUCCESS;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  cuMemsetD32Async(x, 0, n, s);
  return cuStreamEndCapture(s, g);
}
void launch(CUstream s, CUgraphExec exec, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuGraphLaunch(exec, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuGraphLaunch' launches a graph on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
  cuStreamEndCapture(s, g);
}
