// libtorch's graphs begin and end on the current stream.

// RUN: %check %s cudagraph-capture-scope --torch

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

void good(at::cuda::CUDAGraph &graph) {
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  graph.capture_begin();
  graph.capture_end();
  graph.replay();
}

int early(at::cuda::CUDAGraph &graph, int n) {
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  graph.capture_begin();
  if (n == 0)
    return 0;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves the current stream (non-blocking, global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  graph.capture_end();
  return n;
}

void replayed_inside(at::cuda::CUDAGraph &graph, at::cuda::CUDAGraph &other) {
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  graph.capture_begin();
  other.replay();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::cuda::CUDAGraph::replay' launches a graph {{.*}}CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
  graph.capture_end();
}
