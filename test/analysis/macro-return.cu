// The end of a macro's `do { ... } while (0)` is not a branch: the code after it is
// not a failure path, even if it returns a status.

// RUN: %check %s cudagraph-*

#include <cuda_runtime.h>

#define RETURN_IF_FAILED(call)                                                 \
  do {                                                                         \
    cudaError_t status_ = (call);                                              \
    if (status_ != cudaSuccess)                                                \
      return status_;                                                          \
  } while (0)

__global__ void scale(float *x, float by);

struct Filter {
  cudaStream_t s;
  float *x;
  float gain = 1;
  cudaGraphExec_t exec = nullptr;

  cudaError_t finish() {
    cudaGraph_t graph = nullptr;
    RETURN_IF_FAILED(cudaStreamEndCapture(s, &graph));
    cudaError_t rc = cudaGraphInstantiate(&exec, graph, 0);
    (void)cudaGraphDestroy(graph);
    return rc;
  }
  cudaError_t record() {
    RETURN_IF_FAILED(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    scale<<<1, 32, 0, s>>>(x, gain);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'gain' of kernel 'scale' is set by 'main' while the graph exists
    return finish();
  }
  cudaError_t play() {
    RETURN_IF_FAILED(cudaGraphLaunch(exec, s));
    return cudaStreamSynchronize(s);
  }
};

int main() {
  Filter filter{};
  (void)cudaStreamCreate(&filter.s);
  if (filter.record() != cudaSuccess)
    return 1;
  for (int i = 0; i < 3; ++i) {
    filter.gain = i;
    if (filter.play() != cudaSuccess)
      return 1;
  }
  return 0;
}
