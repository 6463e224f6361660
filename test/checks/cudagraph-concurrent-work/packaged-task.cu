// A task calls its callable when it is called, not when it is created.

// RUN: %check %s cudagraph-concurrent-work,cudagraph-device-allocation

#include <functional>
#include <future>
#include <memory>
#include <thread>

__global__ void k(float *x);

void made_only(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::packaged_task<void()> task([x] { cudaFree(x); });
  auto later = task.get_future();
  cudaStreamEndCapture(s, g);
  task();
}
void called(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::packaged_task<void()> task([x] {
    cudaFree(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  });
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::packaged_task<void()> moved = std::move(task);
  moved();
  cudaStreamEndCapture(s, g);
}
void shared(float *x, cudaStream_t s, cudaGraph_t *g) {
  auto task = std::make_shared<std::packaged_task<int()>>([x] {
    return (int)cudaFree(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  });
  std::function<void()> f = [task] { (*task)(); };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f();
  cudaStreamEndCapture(s, g);
}
void in_a_thread(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::packaged_task<int()> task([x] {
    return (int)cudaFree(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread t(std::move(task));
  t.join();
  cudaStreamEndCapture(s, g);
}
