// libtorch: kernels must run on the current stream, not on the default one.

// RUN: %check %s cudagraph-default-stream --torch

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

void op(at::Tensor x) {
  cudaMemsetAsync(x.data_ptr(), 0, x.nbytes(), c10::cuda::getDefaultCUDAStream());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on the legacy default stream while the current stream (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  auto current = at::cuda::getCurrentCUDAStream();
  cudaMemsetAsync(x.data_ptr(), 0, x.nbytes(), current);
  cudaMemsetAsync(x.data_ptr(), 0, x.nbytes(), current.stream());
  cudaStream_t raw = at::cuda::getCurrentCUDAStream().stream();
  cudaMemsetAsync(x.data_ptr(), 0, x.nbytes(), raw);
  cudaMemsetAsync(x.data_ptr(), 0, x.nbytes());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on the legacy default stream while the current stream (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  auto other = c10::cuda::getStreamFromPool();
  cudaMemsetAsync(x.data_ptr(), 0, x.nbytes(), other.stream());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on stream 'other.stream()', which is not part of the capture of the current stream; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
}

void capture(at::Tensor x) {
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  graph.capture_begin();
  op(x);
  graph.capture_end();
}
