// Allocation in error-check macros and in a separate macro.

// RUN: %check %s

#include <cstdio>
#include <cstdlib>

#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
static void HandleError(cudaError_t err, const char *file, int line) {
  if (err != cudaSuccess) {
    printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
    exit(EXIT_FAILURE);
  }
}

#define ALLOC_PINNED(p, n) HANDLE_ERROR(cudaHostAlloc(&(p), n, cudaHostAllocDefault))

void capture(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *a, *b, *c;
  HANDLE_ERROR(cudaStreamCreate(&s));
  ALLOC_PINNED(c, n);
  HANDLE_ERROR(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  HANDLE_ERROR(cudaMallocHost(&a, n));
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'cudaMallocHost' allocates pinned host memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  ALLOC_PINNED(b, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaHostAlloc' allocates pinned host memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  HANDLE_ERROR(cudaFreeHost(c));
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'cudaFreeHost' frees pinned host memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  HANDLE_ERROR(cudaStreamEndCapture(s, &graph));
  HANDLE_ERROR(cudaFreeHost(a));
}
