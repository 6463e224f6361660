// Pinned memory of libtorch, from a thread beside the capture.

// RUN: %check %s cudagraph-concurrent-work --torch

#include <ATen/ATen.h>
#include <cuda_runtime.h>
#include <thread>

void global(const at::Tensor &t, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread other([&] { t.pin_memory(); });
  // CHECK-MESSAGES: :[[@LINE-1]]:27: warning: 'at::Tensor::pin_memory' allocates pinned host memory and copies the tensor into it while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the host allocator has no free block, in this thread, and the capture of the other is invalidated (901) [cudagraph-concurrent-work]
  other.join();
  cudaStreamEndCapture(s, g);
}
// The capture minds its own thread only.
void legal(const at::Tensor &t, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  std::thread other([&] { t.pin_memory(); });
  other.join();
  cudaStreamEndCapture(s, g);
}
