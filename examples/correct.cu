//===- correct.cu - A capture that works ------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is allocated before the capture, every launch names the stream, a
// second stream is forked and joined with events, and the host waits only after
// a replay. The tool reports nothing.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::abort();
}

__global__ void scale(float *x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= factor;
}

int main() {
  const int n = 1 << 20;
  const int blocks = (n + 255) / 256;

  float *a, *b;
  check(cudaMalloc(&a, n * sizeof(float)));
  check(cudaMalloc(&b, n * sizeof(float)));

  cudaStream_t stream, side;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  cudaEvent_t forked, joined;
  check(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));

  cudaGraph_t graph;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  check(cudaMemsetAsync(a, 0, n * sizeof(float), stream));
  check(cudaEventRecord(forked, stream));
  check(cudaStreamWaitEvent(side, forked, 0));
  scale<<<blocks, 256, 0, stream>>>(a, n, 2.0f);
  scale<<<blocks, 256, 0, side>>>(b, n, 3.0f);
  check(cudaEventRecord(joined, side));
  check(cudaStreamWaitEvent(stream, joined, 0));
  check(cudaStreamEndCapture(stream, &graph));

  cudaGraphExec_t exec;
  check(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 100; ++i)
    check(cudaGraphLaunch(exec, stream));
  check(cudaStreamSynchronize(stream));

  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  check(cudaEventDestroy(joined));
  check(cudaEventDestroy(forked));
  check(cudaStreamDestroy(side));
  check(cudaStreamDestroy(stream));
  check(cudaFree(b));
  check(cudaFree(a));
}
