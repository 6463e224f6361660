//===- escape.cu - Work that is not in the graph ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No call here fails. The capturing stream is non-blocking, so work on the
// legacy default stream runs once, during the capture, and no replay repeats
// it: the program prints a wrong sum.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(float *sum, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i]);
}

__global__ void fill(float *x, int n, float value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = value;
}

int main() {
  const int n = 1024;
  float *x, *sum;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMemset(sum, 0, sizeof(float));

  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  fill<<<n / 256, 256, 0, stream>>>(x, n, 1.0f);
  // The stream argument is missing.
  add<<<n / 256, 256>>>(sum, x, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);

  for (int i = 0; i < 10; ++i)
    cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);

  float result;
  cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g, should be %d\n", result, 10 * n);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(sum);
  cudaFree(x);
}
