// `regions` for the driver API and libtorch.

// RUN: %check %s --torch
// RUN: %driver regions --quiet %s -- -std=c++17 -nostdinc++ -isystem %mock-std -isystem %mock-torch -isystem %mock -I %annotations > %t.regions
// RUN: %FileCheck %s --check-prefix=REGIONS < %t.regions
// REGIONS: begin{{ +}}root{{ +}}mode

#include <cuda.h>
#include <cstdint>
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

void driver(CUgraph *g) {
  CUstream s;
  cuStreamCreate(&s, 1);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}thread-local{{ +}}s{{ +}}non-blocking{{ +}}driver{{ +}}[[#@LINE+1]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  cuStreamEndCapture(s, g);
}

void torch_pair(at::Tensor t) {
  at::cuda::CUDAGraph graph;
  at::cuda::CUDAStreamGuard guard(at::cuda::getStreamFromPool());
  graph.capture_begin();
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}libtorch{{ +}}global{{ +}}the current stream{{ +}}non-blocking{{ +}}torch_pair{{ +}}[[#@LINE+2]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  t.add_(t);
  graph.capture_end();
}

struct Runner {
  at::cuda::CUDAGraph graph;
  void begin() { graph.capture_begin({0, 0}, cudaStreamCaptureModeRelaxed); }
  void end() { graph.capture_end(); }
};
void torch_wrapper(Runner &r, at::Tensor t) {
  r.begin();
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}wrapper{{ +}}relaxed{{ +}}the current stream{{ +}}non-blocking{{ +}}torch_wrapper{{ +}}{{[0-9]+:[0-9]+.*}}{{ +[0-9]+ +[0-9]+.*$}}
  t.add_(t);
  r.end();
}

// REGIONS-NOT: {{[0-9]:[0-9]}}
