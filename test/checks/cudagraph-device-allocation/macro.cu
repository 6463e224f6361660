// Error-check macros that return, exit, throw, or clean up.

// RUN: %check %s

#include <cstdio>
#include <stdexcept>
#include <string>

#define RETURN_IF_CUDA_ERROR(x)                                                \
  do {                                                                         \
    const cudaError_t err = (x);                                               \
    if (err != cudaSuccess) {                                                  \
      std::fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(err));    \
      return false;                                                            \
    }                                                                          \
  } while (0)

#define THROW_IF(x)                                                            \
  if (auto err = (x))                                                          \
  throw std::runtime_error(std::string("CUDA error: ") + cudaGetErrorString(err))

#define GOTO_FAIL(x)                                                           \
  if ((x) != cudaSuccess)                                                      \
  goto fail

#define SAFE_FREE(p)                                                           \
  if (p) {                                                                     \
    cudaFree(p);                                                               \
    p = nullptr;                                                               \
  }

bool capture(size_t n, float *scratch) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *a, *b;
  RETURN_IF_CUDA_ERROR(cudaStreamCreate(&s));
  RETURN_IF_CUDA_ERROR(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  RETURN_IF_CUDA_ERROR(cudaMalloc(&a, n));
  // CHECK-MESSAGES: :[[@LINE-1]]:24: warning: 'cudaMalloc' allocates device memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  THROW_IF(cudaMalloc((void **)&b, n));
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaMalloc' allocates device memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  SAFE_FREE(scratch);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree' frees device memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  RETURN_IF_CUDA_ERROR(cudaStreamEndCapture(s, &graph));
  SAFE_FREE(a);
  return true;
}

// Cleanup at a label: after a failure, the capture is ended first.
bool clean_up(size_t n) {
  cudaStream_t s = nullptr;
  cudaGraph_t graph = nullptr;
  float *a = nullptr;
  bool ok = false;
  GOTO_FAIL(cudaStreamCreate(&s));
  GOTO_FAIL(cudaMalloc(&a, n));
  GOTO_FAIL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaMemsetAsync(a, 0, n, s);
  GOTO_FAIL(cudaStreamEndCapture(s, &graph));
  ok = true;
fail:
  cudaFree(a);
  if (graph)
    cudaGraphDestroy(graph);
  return ok;
}
