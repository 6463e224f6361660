// The driver API, whose names are macros for their second versions.

// RUN: %check %s cudagraph-device-allocation

#include <cuda.h>

void global_mode(CUdeviceptr old, size_t n, const CUDA_ARRAY_DESCRIPTOR *desc, CUarray old_array) {
  CUstream s, other;
  CUgraph graph;
  CUdeviceptr d;
  CUarray array;
  size_t pitch;
  cuStreamCreate(&s, 1);
  cuStreamCreate(&other, 1);
  cuMemAlloc(&d, n);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuMemAlloc(&d, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemAlloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  // CHECK-NOTES: :[[@LINE-2]]:3: note: allocate before the capture, or use cuMemAllocAsync on a capturing stream
  cuMemAllocPitch(&d, &pitch, 64, 64, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemAllocPitch' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cuMemAllocManaged(&d, n, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemAllocManaged' allocates managed memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cuArrayCreate(&array, desc);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuArrayCreate' allocates an array while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cuMemFree(old);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemFree' frees device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cuArrayDestroy(old_array);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuArrayDestroy' frees an array while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cuMemAllocAsync(&d, n, s);
  cuMemFreeAsync(d, s);
  cuMemAllocAsync(&d, n, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemAllocAsync' allocates memory on stream 'other', which is not part of the capture of 's'; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cuStreamEndCapture(s, &graph);
  cuMemFree(d);
}

void relaxed_mode(CUdeviceptr old, size_t n) {
  CUstream s;
  CUgraph graph;
  CUdeviceptr d;
  cuStreamCreate(&s, 1);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED);
  cuMemAlloc(&d, n);
  cuMemFree(old);
  cuStreamEndCapture(s, &graph);
}
