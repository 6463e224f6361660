// libtorch: the state of a generator, which a graph cannot read or change.

// RUN: %check %s cudagraph-random-state --torch

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

uint64_t in_the_capture(at::Generator generator, at::Tensor saved) {
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  graph.capture_begin();
  uint64_t seed = generator.current_seed();
  // CHECK-MESSAGES: :[[@LINE-1]]:19: warning: 'at::Generator::current_seed' reads the seed of a generator during the capture of the current stream (non-blocking, global mode); every replay will use the same random numbers [cudagraph-random-state]
  at::Tensor state = generator.get_state();
  // CHECK-MESSAGES: :[[@LINE-1]]:22: warning: 'at::Generator::get_state' reads the state of a generator during the capture
  generator.set_state(saved);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Generator::set_state' sets the state of a generator during the capture
  generator.set_current_seed(seed);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Generator::set_current_seed' sets the seed of a generator during the capture
  graph.capture_end();
  return seed;
}

// The state is used before and after the capture.
uint64_t outside(at::Generator generator, at::Tensor saved) {
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  generator.set_current_seed(1);
  graph.register_generator_state(generator);
  graph.capture_begin();
  graph.capture_end();
  at::Tensor state = generator.get_state();
  generator.set_state(saved);
  return generator.current_seed();
}
