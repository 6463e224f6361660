// Templates that start threads.

// RUN: %check %s cudagraph-concurrent-work

#include <thread>

__global__ void k(float *x);

template <class T> void fill(T *x) {
  cudaMalloc(&x, sizeof(T));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
}
template <class F> void beside(F f) {
  std::thread t(f);
  t.join();
}

void capture(float *x, double *y, cudaStream_t s, cudaGraph_t *g) {
  std::thread t(fill<float>, x);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  beside([y] { cudaFree(y); });
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  beside([y] { cudaGetLastError(); });
  cudaStreamEndCapture(s, g);
  t.join();
  beside([y] { cudaFree(y); });
}
