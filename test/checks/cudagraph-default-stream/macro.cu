// Launches in macros, and macros around launches.

// RUN: %check %s

__global__ void kernel(float *x, int n);

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t e_ = (call);                                                   \
    if (e_ != cudaSuccess)                                                     \
      return e_;                                                               \
  } while (0)

// The stream is the macro's argument, a name at the point of use, or
// missing.
#define LAUNCH(k, grid, block, stream, ...) k<<<grid, block, 0, stream>>>(__VA_ARGS__)
#define LAUNCH_HERE(k, grid, block, ...) k<<<grid, block, 0, stream>>>(__VA_ARGS__)
#define LAUNCH_DEFAULT(k, grid, block, ...) k<<<grid, block>>>(__VA_ARGS__)
#define DISPATCH(type, ...)                                                    \
  switch (type) {                                                              \
  case 0: {                                                                    \
    using scalar_t = float;                                                    \
    __VA_ARGS__;                                                               \
    break;                                                                     \
  }                                                                            \
  default: {                                                                   \
    using scalar_t = double;                                                   \
    __VA_ARGS__;                                                               \
    break;                                                                     \
  }                                                                            \
  }
template <typename T> __global__ void typed(T *x, int n);

cudaError_t capture(float *x, float *h, int n, int type) {
  cudaStream_t stream;
  cudaGraph_t graph;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  LAUNCH(kernel, 1, 32, stream, x, n);
  LAUNCH(kernel, 1, 32, 0, x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: kernel 'kernel' is launched on the legacy default stream while 'stream' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  LAUNCH_HERE(kernel, 1, 32, x, n);
  LAUNCH_DEFAULT(kernel, 1, 32, x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: kernel 'kernel' is launched on the legacy default stream while 'stream' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  DISPATCH(type, (typed<scalar_t><<<1, 32, 0, stream>>>((scalar_t *)x, n)));
  DISPATCH(type, (typed<scalar_t><<<1, 32>>>((scalar_t *)x, n)));
  // CHECK-MESSAGES: :[[@LINE-1]]:19: warning: kernel 'typed' is launched on the legacy default stream while 'stream' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  CUDA_CHECK(cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice));
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'cudaMemcpyAsync' copies memory on the legacy default stream while 'stream' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  CUDA_CHECK(cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  LAUNCH_DEFAULT(kernel, 1, 32, x, n);
  return cudaSuccess;
}
