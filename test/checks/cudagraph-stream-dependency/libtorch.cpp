// libtorch's streams and events.

// RUN: %check %s cudagraph-stream-dependency --torch

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

void step(float *x, cudaStream_t s) { cudaMemsetAsync(x, 0, 4, s); }

void joined(float *x) {
  at::cuda::CUDAGraph graph;
  auto main = c10::cuda::getStreamFromPool();
  auto side = c10::cuda::getStreamFromPool();
  c10::cuda::CUDAStreamGuard guard(main);
  at::cuda::CUDAEvent fork, join;
  graph.capture_begin();
  fork.record(main);
  fork.block(side);
  step(x, side);
  join.record(side);
  join.block(main);
  graph.capture_end();
}

void not_joined(float *x) {
  at::cuda::CUDAGraph graph;
  auto main = c10::cuda::getStreamFromPool();
  auto side = c10::cuda::getStreamFromPool();
  c10::cuda::CUDAStreamGuard guard(main);
  at::cuda::CUDAEvent fork;
  graph.capture_begin();
  fork.record(main);
  fork.block(side);
  step(x, side);
  graph.capture_end();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::cuda::CUDAGraph::capture_end' ends the capture of the current stream with unjoined work {{.*}}stream{{.*}}; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

void current(float *x) {
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  auto side = c10::cuda::getStreamFromPool();
  at::cuda::CUDAEvent fork, join;
  graph.capture_begin();
  fork.record();
  fork.block(side);
  {
    c10::cuda::CUDAStreamGuard inner(side);
    step(x, c10::cuda::getCurrentCUDAStream());
    join.record();
  }
  join.block(c10::cuda::getCurrentCUDAStream());
  graph.capture_end();
}
