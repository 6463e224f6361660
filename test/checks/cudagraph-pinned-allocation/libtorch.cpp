// libtorch: pinned tensors, which are legal in relaxed mode.

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
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'at::Tensor::pin_memory' allocates pinned host memory and copies the tensor into it immediately while the current stream (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-pinned-allocation]
  at::Tensor made = at::empty({4}, at::TensorOptions().pinned_memory(true));
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'at::empty' takes pinned host memory from the cache, which may query events while the current stream (non-blocking, global mode) captures; CUDA may return cudaErrorStreamCaptureUnsupported (900), depending on the state of the host allocator [cudagraph-pinned-allocation]
  at::Tensor zeros = at::zeros({4}, at::kFloat);
  at::Tensor of_host = zeros.pin_memory();
  // CHECK-MESSAGES: :[[@LINE-1]]:24: warning: 'at::Tensor::pin_memory' allocates pinned host memory
  at::Tensor plain = at::empty({4}, at::TensorOptions().pinned_memory(false));
  at::Tensor device = at::empty({4}, x.options());
  graph.capture_end();
}
