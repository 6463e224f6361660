// Operators whose result size depends on the data read that size from the
// device, and are refused.

// RUN: %check %s cudagraph-dynamic-shape --torch

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

void capture(at::Tensor x, at::Tensor mask) {
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  at::Tensor before = x.nonzero();
  graph.capture_begin();
  at::Tensor a = x.nonzero();
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::Tensor::nonzero' creates a result whose size depends on device data, and waits for that data while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-dynamic-shape]
  at::Tensor b = at::nonzero(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::nonzero' creates a result whose size depends on device data, and waits for that data while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-dynamic-shape]
  at::Tensor c = x.masked_select(mask);
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::Tensor::masked_select' creates a result whose size depends on device data, and waits for that data while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-dynamic-shape]
  at::Tensor d = at::masked_select(x, mask);
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::masked_select' creates a result whose size depends on device data, and waits for that data while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-dynamic-shape]
  auto e = at::unique_consecutive(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'at::unique_consecutive' creates a result whose size depends on device data, and waits for that data while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-dynamic-shape]
  at::Tensor f = at::relu(x);
  at::Tensor g = at::matmul(x, f);
  at::Tensor h = at::empty_like(x);
  graph.capture_end();
}
