// Legal: a kernel with a grid-stride loop processes all elements with any grid,
// even one that is computed from a count that was read back.

// RUN: %check %s cudagraph-dynamic-shape --real-std
// RUN: %check %s cudagraph-dynamic-shape --real-std --suffix=ONCE -- -DONCE

#include "cuda_runtime.h"

__global__ void measure(const int *list, const int *count, int *sum) {
  int n = *count;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, list[i]);
}
__global__ void measureAll(const int *list, const int *count, int *sum) {
  int n = *count;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(sum, list[i]);
}

void record(cudaStream_t s, int *list, int *count, int *sum) {
  int found = 0;
  if (cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost))
    return;
  cudaGraph_t g;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return;
#ifdef ONCE
  measure<<<(found + 63) / 64, 64, 0, s>>>(list, count, sum);
  // CHECK-MESSAGES-ONCE: :[[@LINE-1]]:3: warning: the grid of kernel 'measure' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
#else
  measureAll<<<(found + 63) / 64, 64, 0, s>>>(list, count, sum);
#endif
  if (cudaStreamEndCapture(s, &g))
    return;
}
