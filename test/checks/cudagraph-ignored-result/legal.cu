// Results that are checked, and calls that CUDA does not refuse.

// RUN: %check %s cudagraph-ignored-result

#include <cstdio>
#include <cstdlib>

__global__ void k(float *x);

void check(cudaError_t e);
#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t error_ = (call);                                               \
    if (error_ != cudaSuccess) {                                               \
      fprintf(stderr, "%s\n", cudaGetErrorString(error_));                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

// The capture's own memory, and memory of a completed capture.
void own_memory(float *x, cudaStream_t s, cudaGraph_t *g) {
  void *a, *b;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&a, 4, s);
  k<<<1, 1, 0, s>>>((float *)a);
  cudaFreeAsync(a, s);
  cudaStreamEndCapture(s, g);
  cudaMallocAsync(&b, 4, s);
  cudaFreeAsync(b, s);
}
struct Buffer {
  Buffer(cudaStream_t s, size_t n) : s(s) { cudaMallocAsync(&p, n, s); }
  ~Buffer() { cudaFreeAsync(p, s); }
  cudaStream_t s;
  float *p;
};
void scoped(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    Buffer b(s, 4);
    k<<<1, 1, 0, s>>>(b.p);
  }
  cudaStreamEndCapture(s, g);
}
void in_a_loop(int n, cudaStream_t s, cudaGraph_t *g) {
  float *temporary[8];
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < n; ++i)
    cudaMallocAsync((void **)&temporary[i], 4, s);
  for (int i = 0; i < n; ++i)
    cudaFreeAsync(temporary[i], s);
  cudaStreamEndCapture(s, g);
}

// Refused, but checked.
cudaError_t seen(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaError_t e = cudaFreeAsync(x, s);
  CHECK(cudaFreeAsync(x, s));
  check(cudaFreeAsync(x, s));
  if (cudaFreeAsync(x, s) != cudaSuccess)
    printf("kept\n");
  cudaStreamEndCapture(s, g);
  return e;
}
// Ignored intentionally.
void on_purpose(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  (void)cudaFreeAsync(x, s);
  cudaStreamEndCapture(s, g);
}

// The result is ignored, but the call succeeds.
void harmless(float *x, cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(x, 0, 4, s);
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDeviceToDevice, s);
  cudaEventRecord(e, s);
  cudaGetLastError();
  cudaFuncSetAttribute((const void *)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 4);
  cudaStreamEndCapture(s, g);
}

// The call is made only outside the capture.
void guarded(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamCaptureStatus status;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusNone)
    cudaFreeAsync(x, s);
  cudaStreamEndCapture(s, g);
}
