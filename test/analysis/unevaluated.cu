// RUN: %check %s cudagraph-sync-call
//
// Operands that are never evaluated, although Clang's CFG contains them.

#include <cuda_runtime.h>

#define REQUIRE_CONSTANT(x) ((void)__builtin_constant_p(x))

void f(cudaStream_t s, int *n) {
  cudaGraph_t g;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return;
  *n = noexcept(cudaStreamSynchronize(s));
  *n += sizeof(cudaDeviceSynchronize());
  decltype(cudaDeviceSynchronize()) unused = cudaSuccess;
  REQUIRE_CONSTANT(cudaStreamSynchronize(s) == cudaSuccess);
  (void)unused;
  if (__builtin_constant_p(cudaDeviceSynchronize()))
    *n = 1;
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  if (cudaStreamEndCapture(s, &g))
    return;
}
