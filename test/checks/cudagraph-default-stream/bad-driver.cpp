// The same with the functions of the driver API.

// RUN: %check %s cudagraph-default-stream

#include <cuda.h>

void work(CUfunction f, CUdeviceptr d, void *h, size_t n, void **args,
          const CUlaunchConfig *config) {
  CUstream s, other;
  CUgraph graph;
  cuStreamCreate(&s, 1);
  cuStreamCreate(&other, 1);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLaunchKernel' launches a kernel on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLaunchKernel' launches a kernel on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, CU_STREAM_LEGACY, args, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLaunchKernel' launches a kernel on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, CU_STREAM_PER_THREAD, args, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLaunchKernel' launches a kernel on the per-thread default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, other, args, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLaunchKernel' launches a kernel on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, args, nullptr);
  cuMemcpyHtoDAsync(d, h, n, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyHtoDAsync' copies memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cuMemcpyDtoHAsync(h, d, n, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyDtoHAsync' copies memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cuMemcpyDtoDAsync(d, d + n, n, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyDtoDAsync' copies memory on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cuMemcpyAsync(d, d + n, n, s);
  cuMemsetD32Async(d, 0, n, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemsetD32Async' sets memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cuMemsetD8Async(d, 0, n, s);
  cuStreamEndCapture(s, &graph);
}

void blocking(CUfunction f, CUdeviceptr d, size_t n, void **args) {
  CUstream s;
  CUgraph graph;
  cuStreamCreate(&s, 0);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED);
  cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLaunchKernel' launches a kernel on the legacy default stream while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  cuMemsetD8Async(d, 0, n, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemsetD8Async' sets memory on the legacy default stream while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  cuStreamEndCapture(s, &graph);
}
