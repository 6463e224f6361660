// The driver API, from plain C++.

// RUN: %check %s cudagraph-sync-call

#include <cuda.h>

void waits(CUevent outside, CUcontext ctx) {
  CUstream s, side;
  CUgraph graph;
  cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
  cuStreamCreate(&side, CU_STREAM_NON_BLOCKING);
  cuEventRecord(outside, side);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuCtxSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuCtxSynchronize' waits for all work on the device while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cuStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cuStreamSynchronize(side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits for stream 'side', which is not part of the capture of 's'; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-sync-call]
  cuStreamQuery(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamQuery' queries stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cuEventQuery(outside);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuEventQuery' queries event 'outside' while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-sync-call]
  cuStreamEndCapture(s, &graph);
}

// Each call is the first to fail in its capture.
void captured_events(CUstream s) {
  CUevent captured;
  CUgraph graph;
  float ms;
  cuEventCreate(&captured, CU_EVENT_DISABLE_TIMING);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuEventRecord(captured, s);
  cuEventSynchronize(captured);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuEventSynchronize' waits for event 'captured', which was recorded in the capture; CUDA returns cudaErrorCapturedEvent (907) in every capture mode [cudagraph-sync-call]
  cuStreamEndCapture(s, &graph);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuEventRecord(captured, s);
  cuEventQuery(captured);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuEventQuery' queries event 'captured', which was recorded in the capture; CUDA returns cudaErrorCapturedEvent (907) in every capture mode [cudagraph-sync-call]
  cuStreamEndCapture(s, &graph);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuEventRecord(captured, s);
  cuEventElapsedTime(&ms, captured, captured);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuEventElapsedTime' reads the time between two events, including 'captured', which was recorded in the capture; CUDA returns cudaErrorCapturedEvent (907) in every capture mode, and the capture continues without it [cudagraph-sync-call]
  cuStreamEndCapture(s, &graph);
}

void copies(CUdeviceptr d, void *h, size_t n, CUarray a, const CUDA_MEMCPY2D *p,
            const CUDA_MEMCPY3D *q) {
  CUstream s;
  CUgraph graph;
  cuStreamCreate(&s, CU_STREAM_DEFAULT);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED);
  cuMemcpy(d, d + n, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpy' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemcpyHtoD(d, h, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyHtoD' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemcpyDtoH(h, d, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyDtoH' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemcpyDtoD(d, d + n, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyDtoD' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemcpyAtoH(h, a, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyAtoH' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemcpyHtoA(a, 0, h, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyHtoA' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemcpy2D(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpy2D' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemcpy2DUnaligned(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpy2DUnaligned' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemcpy3D(q);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpy3D' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemsetD8(d, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemsetD8' sets memory while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemsetD16(d, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemsetD16' sets memory while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemsetD32(d, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemsetD32' sets memory while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuMemsetD2D32(d, 64, 0, 16, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemsetD2D32' sets memory while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuStreamEndCapture(s, &graph);
}

// A runtime handle and a driver handle of the same stream.
void mixed(CUdeviceptr d, size_t n) {
  CUstream s;
  CUgraph graph;
  cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -1);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  cuMemsetD8(d, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemsetD8' sets memory while 's' (non-blocking, thread-local mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cuStreamSynchronize(CU_STREAM_PER_THREAD);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits for the per-thread default stream while 's' (non-blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-sync-call]
  cuStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cuStreamEndCapture(s, &graph);
}
