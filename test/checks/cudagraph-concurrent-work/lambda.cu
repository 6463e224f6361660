// Lambdas: named, stored, and nested.

// RUN: %check %s cudagraph-concurrent-work

#include <functional>
#include <thread>

__global__ void k(float *x);

void named(float *x, cudaStream_t s, cudaGraph_t *g) {
  auto body = [&x] {
    cudaMalloc(&x, 4);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread t(body);
  t.join();
  cudaStreamEndCapture(s, g);
}
void kept(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::function<void()> body = [=] {
    cudaFree(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread t(body);
  t.join();
  cudaStreamEndCapture(s, g);
}
void nested(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread t([=] {
    auto inner = [=] {
      cudaHostUnregister(x);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaHostUnregister' unpins host memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
    };
    inner();
  });
  t.join();
  cudaStreamEndCapture(s, g);
}
// The calls in the capturing lambda are made by its own thread.
void in_a_thread(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::thread t([=] {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s>>>(x);
    cudaStreamEndCapture(s, g);
  });
  t.join();
}
