// Threads that run during a capture in global mode, and their refused
// calls.

// RUN: %check %s cudagraph-concurrent-work

#include <functional>
#include <future>
#include <pthread.h>
#include <thread>
#include <vector>

__global__ void k(float *x);

// The thread is started in the capture.
void started_inside(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread t([x]() mutable {
    cudaMalloc(&x, 4);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
    cudaFree(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  k<<<1, 1, 0, s>>>(x);
  t.join();
  cudaStreamEndCapture(s, g);
}

// The thread is running when the capture begins.
void alive(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStream_t copy;
  cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking);
  std::thread t([&] {
    cudaMemcpyAsync(x, x, 4, cudaMemcpyDeviceToDevice, copy);
    cudaStreamSynchronize(copy);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 'copy', which is not part of the capture of 's'; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  t.join();
}
void worker(float *x) {
  cudaHostAlloc(&x, 4, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaHostAlloc' allocates pinned host memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
}
void by_function(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::thread t(worker, x);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, g);
  t.join();
}
void *routine(void *x) {
  cudaEventSynchronize((cudaEvent_t)x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventSynchronize' waits for event '(cudaEvent_t)x' while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  return x;
}
void posix(cudaEvent_t e, cudaStream_t s, cudaGraph_t *g) {
  pthread_t t;
  pthread_create(&t, nullptr, routine, e);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, g);
  pthread_join(t, nullptr);
}

// In every mode: calls that affect the capture itself, or wait for everything.
void in_every_mode(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  std::thread t([&] {
    cudaDeviceSynchronize();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (relaxed mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
    cudaMalloc(&x, 4);
  });
  t.join();
  cudaStreamEndCapture(s, g);
}

// With a blocking capture stream, the legacy stream is unusable by all threads.
void legacy(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  std::thread t([=] {
    k<<<1, 1>>>(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' is launched on the legacy default stream while 's' (blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
    cudaMemset(x, 0, 4);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemset' sets memory while 's' (blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaStreamEndCapture(s, g);
  t.join();
}
