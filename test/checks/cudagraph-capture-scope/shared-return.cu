// Success and failure share one return. A branch to it before the end call
// leaves the capture open.

// RUN: %check %s cudagraph-capture-scope

#include <cuda_runtime.h>

__global__ void apply(float *p, int n);

int open(cudaStream_t s, float *p, int n, cudaGraph_t *g) {
  int Status = -1;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    goto done;
  if (n < 4)
    goto done;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this goto leaves 's' (global mode) capturing
  apply<<<1, 32, 0, s>>>(p, n);
  if (cudaStreamEndCapture(s, g))
    goto done;
  Status = 0;
done:
  return Status;
}

int closed(cudaStream_t s, float *p, int n, cudaGraph_t *g) {
  int Status = -1;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    goto done;
  if (n < 4)
    goto end;
  apply<<<1, 32, 0, s>>>(p, n);
  Status = 0;
end:
  if (cudaStreamEndCapture(s, g))
    Status = -1;
done:
  return Status;
}

// The capture begins and ends under the same condition.
int perhaps(cudaStream_t s, float *p, int n, cudaGraph_t *g) {
  bool Captures = n >= 4;
  int Status = 0;
  if (Captures && cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return -1;
  apply<<<1, 32, 0, s>>>(p, n);
  if (!Captures)
    goto done;
  if (cudaStreamEndCapture(s, g))
    Status = -1;
done:
  return Status;
}
