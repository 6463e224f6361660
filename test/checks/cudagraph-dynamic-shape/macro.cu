// Launch macros, and the usual integer division.

// RUN: %check %s

#include <cstdio>
#include <cstdlib>

__global__ void kernel(float *x, int n);

#define CUDA_CHECK(x)                                                          \
  do {                                                                         \
    cudaError_t e = (x);                                                       \
    if (e != cudaSuccess) {                                                    \
      fprintf(stderr, "%s\n", cudaGetErrorString(e));                          \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
#define DIV_UP(a, b) (((a) + (b)-1) / (b))
#define LAUNCH_1D(k, n, stream, ...) k<<<DIV_UP(n, 256), 256, 0, stream>>>(__VA_ARGS__)

void capture(float *x, int *count, int fixed) {
  cudaStream_t s;
  cudaGraph_t graph;
  int n;
  CUDA_CHECK(cudaStreamCreate(&s));
  CUDA_CHECK(cudaMemcpy(&n, count, sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  LAUNCH_1D(kernel, n, s, x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  LAUNCH_1D(kernel, fixed, s, x, fixed);
  LAUNCH_1D(kernel, 4096, s, x, 4096);
  CUDA_CHECK(cudaMemsetAsync(x, 0, n, s));
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: the size given to 'cudaMemsetAsync' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  CUDA_CHECK(cudaMemsetAsync(x, 0, fixed, s));
  CUDA_CHECK(cudaStreamEndCapture(s, &graph));
}
