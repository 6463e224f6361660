// libtorch: pinned tensors, outside relaxed mode.

// RUN: %check %s cudagraph-pinned-allocation --torch

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

void capture(at::Tensor staging, at::Tensor x) {
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  at::Tensor pinned = staging.pin_memory();
  graph.capture_begin();
  x.copy_(pinned, /*non_blocking=*/true);
  at::Tensor late = staging.pin_memory();
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'at::Tensor::pin_memory' allocates pinned host memory and copies the tensor into it at once while the current stream (non-blocking, global mode) captures; CUDA returns success, but the work runs once, now, and is not in the graph [cudagraph-pinned-allocation]
  graph.capture_end();
}
