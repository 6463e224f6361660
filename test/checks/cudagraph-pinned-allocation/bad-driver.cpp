// The driver API.

// RUN: %check %s cudagraph-pinned-allocation

#include <cuda.h>

void global_mode(void *plain, void *old, size_t n) {
  CUstream s;
  CUgraph graph;
  void *h;
  cuStreamCreate(&s, 1);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuMemAllocHost(&h, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemAllocHost' allocates pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cuMemHostAlloc(&h, n, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemHostAlloc' allocates pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cuMemHostRegister(plain, n, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemHostRegister' pins host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cuMemHostUnregister(plain);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemHostUnregister' unpins host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cuMemFreeHost(old);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemFreeHost' frees pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  unsigned flags;
  cuMemHostGetFlags(&flags, old);
  CUdeviceptr d;
  cuMemHostGetDevicePointer(&d, old, 0);
  cuStreamEndCapture(s, &graph);
}

void relaxed_mode(size_t n) {
  CUstream s;
  CUgraph graph;
  void *h;
  cuStreamCreate(&s, 1);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED);
  cuMemAllocHost(&h, n);
  cuMemFreeHost(h);
  cuStreamEndCapture(s, &graph);
}
