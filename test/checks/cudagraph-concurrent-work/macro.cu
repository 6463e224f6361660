// Calls in macros.

// RUN: %check %s cudagraph-concurrent-work

#include <cstdlib>
#include <thread>

__global__ void k(float *x);

#define CHECK(call)                                                            \
  do {                                                                         \
    if ((call) != cudaSuccess)                                                 \
      exit(1);                                                                 \
  } while (0)
#define IN_THREAD(name, ...) std::thread name([=]() mutable { __VA_ARGS__; })

void capture(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::thread t([x]() mutable {
    CHECK(cudaMalloc(&x, 4));
    // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, s>>>(x);
  CHECK(cudaStreamEndCapture(s, g));
  t.join();
}
void all_in_a_macro(float *x, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  IN_THREAD(t, CHECK(cudaFree(x)));
  // CHECK-MESSAGES: :[[@LINE-1]]:22: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  t.join();
  CHECK(cudaStreamEndCapture(s, g));
}
