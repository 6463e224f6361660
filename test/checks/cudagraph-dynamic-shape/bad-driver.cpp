// The driver API.

// RUN: %check %s cudagraph-dynamic-shape

#include <cuda.h>

void from_device(CUfunction f, CUdeviceptr x, CUdeviceptr count, void **args) {
  CUstream s;
  CUgraph graph;
  int n = 0;
  cuStreamCreate(&s, 1);
  cuMemcpyDtoH(&n, count, sizeof(int));
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuMemsetD8Async(x, 0, n, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the size given to 'cuMemsetD8Async' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cuLaunchKernel(f, n, 1, 1, 32, 1, 1, 0, s, args, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'cuLaunchKernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cuStreamEndCapture(s, &graph);
}
