// A variable of a class that is only declared: one parse error, and no other
// message.

// RUN: %not %driver --no-cache --cuda-path=mock %s -- 2>&1 | FileCheck %s

#include <cuda_runtime.h>

namespace std {
class missing;
}

void capture(cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::missing local;
  // CHECK: error: variable has incomplete type
  // CHECK-NOT: crashed
  cudaStreamSynchronize(s);
  cudaStreamEndCapture(s, graph);
}
// CHECK: 1 translation unit, 1 incomplete
