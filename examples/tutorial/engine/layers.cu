//===- layers.cu - Functions that the tutorial's engine calls ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two of these functions must not be captured. The tutorial finds and fixes
// them: docs/tutorials/fix-a-captured-engine.md.
//
//===----------------------------------------------------------------------===//

#include "layers.h"
#include <cstdio>

__global__ void addPosition(float *x, int n, int position) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += 1.0f / (1 + position);
}

__global__ void accumulate(float *sum, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i]);
}

__global__ void divide(float *x, int n, const float *by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] /= *by;
}

static int blocks(int n) { return (n + 255) / 256; }

void embed(float *x, int n, int position, cudaStream_t stream) {
  addPosition<<<blocks(n), 256, 0, stream>>>(x, n, position);
}

void normalize(float *x, int n, float *sum, cudaStream_t stream) {
  cudaMemsetAsync(sum, 0, sizeof(float), stream);
  accumulate<<<blocks(n), 256>>>(sum, x, n);
  divide<<<blocks(n), 256, 0, stream>>>(x, n, sum);
}

void trace(const char *what, const float *x, cudaStream_t stream) {
  float first;
  cudaMemcpyAsync(&first, x, sizeof(first), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::printf("%s: %g\n", what, first);
}
