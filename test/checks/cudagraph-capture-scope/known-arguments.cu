// The arguments of a call cause an error return with the capture open: a
// visible caller does not hide the finding in the function itself.

// RUN: %check %s cudagraph-capture-scope

#include <cuda_runtime.h>

__global__ void orthogonalize(float *x, int n);

struct Solver {
  cudaStream_t s;
  float *x;
  cudaGraphExec_t exec;

  cudaError_t finish() {
    cudaGraph_t graph = nullptr;
    if (cudaError_t rc = cudaStreamEndCapture(s, &graph))
      return rc;
    return cudaGraphInstantiate(&exec, graph, 0);
  }
  cudaError_t record(int columns) {
    if (cudaError_t rc =
            cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return rc;
    if (columns > 8)
      return cudaErrorInvalidValue;
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's' (blocking, thread-local mode) capturing
    orthogonalize<<<1, 8, 0, s>>>(x, columns);
    return finish();
  }
};

int main() {
  Solver solver{};
  (void)cudaStreamCreate(&solver.s);
  cudaError_t rc = solver.record(12);
  return rc;
}
