// Threads that a container constructs in place.

// RUN: %check %s cudagraph-concurrent-work

#include <thread>
#include <vector>

__global__ void k(float *x);

void inside(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  std::vector<std::thread> all;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < n; ++i)
    all.emplace_back([x] {
      cudaFree(x);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
    });
  for (auto &t : all)
    t.join();
  cudaStreamEndCapture(s, g);
}
void outside(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  std::vector<std::thread> all;
  for (int i = 0; i < n; ++i)
    all.emplace_back([x] { cudaFree(x); });
  for (int i = 0; i < n; ++i)
    all[i].join();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}
