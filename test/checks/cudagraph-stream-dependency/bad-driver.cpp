// The driver API, from plain C++.

// RUN: %check %s cudagraph-stream-dependency

#include <cuda.h>

void not_joined(CUdeviceptr x, CUstream s, CUstream side, CUevent e, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuEventRecord(e, s);
  cuStreamWaitEvent(side, e, 0);
  cuMemsetD32Async(x, 0, 4, side);
  cuStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

void joined(CUfunction f, CUstream s, CUstream side, CUevent e, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuEventRecord(e, s);
  cuStreamWaitEvent(side, e, CU_EVENT_WAIT_DEFAULT);
  cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, side, nullptr, nullptr);
  cuEventRecord(e, side);
  cuStreamWaitEvent(s, e, CU_EVENT_WAIT_DEFAULT);
  cuStreamEndCapture(s, g);
}

void launched_after_the_join(CUfunction f, CUstream s, CUstream side, CUevent e,
                             CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuEventRecord(e, s);
  cuStreamWaitEvent(side, e, 0);
  cuEventRecord(e, side);
  cuStreamWaitEvent(s, e, 0);
  cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, side, nullptr, nullptr);
  cuStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

void outside(CUstream s, CUevent e, CUgraph *g) {
  cuEventRecord(e, s);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED);
  cuStreamWaitEvent(s, e, CU_EVENT_WAIT_EXTERNAL);
  cuStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamWaitEvent' makes stream 's' wait for event 'e', which was recorded outside the capture{{,?}} while 's' (relaxed mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905) in every capture mode [cudagraph-stream-dependency]
  cuStreamEndCapture(s, g);
}

void merge(CUstream s, CUstream t, CUevent e, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuStreamBeginCapture(t, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuEventRecord(e, t);
  cuStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamWaitEvent' makes stream 's' wait for event 'e', which another capture recorded{{,?}} while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureMerge (902) in every capture mode [cudagraph-stream-dependency]
  cuStreamEndCapture(t, g);
  cuStreamEndCapture(s, g);
}

void never(CUstream s, CUgraph *g) {
  CUevent e;
  cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuStreamWaitEvent(s, e, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamWaitEvent' waits for event 'e', which was never recorded; CUDA returns success, but the graph has no dependency [cudagraph-stream-dependency]
  cuStreamEndCapture(s, g);
}
