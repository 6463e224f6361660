// NOLINT at the call, where the thread is started, and where the capture
// begins.

// RUN: %check %s cudagraph-concurrent-work

#include <thread>

void at_the_call(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread t([=] {
    cudaFree(x); // NOLINT(cudagraph-concurrent-work)
    cudaFree(x); // NOLINT(cudagraph-device-allocation)
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  t.join();
  cudaStreamEndCapture(s, g);
}
void at_the_begin(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::thread t([=] { cudaFree(x); });
  // NOLINTNEXTLINE(cudagraph-concurrent-work)
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, g);
  t.join();
}
void block(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread t([=] {
    // NOLINTBEGIN
    cudaFree(x);
    cudaDeviceSynchronize();
    // NOLINTEND
  });
  t.join();
  cudaStreamEndCapture(s, g);
}
