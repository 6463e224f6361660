// Pinned memory from libtorch, in a thread that is not capturing.

// RUN: %check %s cudagraph-concurrent-work --torch

#include <ATen/cuda/CachingHostAllocator.h>
#include <cuda_runtime.h>
#include <thread>

void global(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread other([&] { at::cuda::HostAlloc(64); });
  // CHECK-MESSAGES: :[[@LINE-1]]:27: warning: 'at::cuda::HostAlloc' takes pinned host memory from the cache, which may query events while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the host allocator has no free block, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  other.join();
  cudaStreamEndCapture(s, g);
}
// The capture restricts only its own thread.
void legal(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  std::thread other([&] { at::cuda::HostAlloc(64); });
  other.join();
  cudaStreamEndCapture(s, g);
}
