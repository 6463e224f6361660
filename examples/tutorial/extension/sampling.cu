//===- sampling.cu - The extension of the tutorial --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four operators that are correct in eager mode; some are incorrect in a graph.
// docs/tutorials/make-an-extension-graph-safe.md fixes those.
//
//===----------------------------------------------------------------------===//

#include "vendor.h"
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <torch/library.h>

using at::Tensor;

static int blocks(int64_t n) { return static_cast<int>((n + 255) / 256); }

static cudaStream_t current() { return at::cuda::getCurrentCUDAStream(); }

__global__ void scale(float *out, const float *x, float by, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * by;
}

__global__ void penalize(float *x, const int64_t *seen, int64_t n, float by) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[seen[i]] -= by;
}

__global__ void sumUp(float *sums, const float *x, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&sums[i % 256], x[i]);
}

/// Logits for a temperature that is a tensor, because the model changes it.
static Tensor applyTemperature(const Tensor &logits,
                               const Tensor &temperature) {
  Tensor out = at::empty_like(logits);
  float t = temperature.item<float>();
  scale<<<blocks(logits.numel()), 256, 0, current()>>>(
      out.data_ptr<float>(), logits.data_ptr<float>(), 1 / t, logits.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

/// Lowers the logits of tokens that occurred before.
static Tensor repetitionPenalty(const Tensor &logits, const Tensor &seen,
                                double by) {
  Tensor out = logits.clone();
  penalize<<<blocks(seen.numel()), 256>>>(out.data_ptr<float>(),
                                          seen.data_ptr<int64_t>(),
                                          seen.numel(), static_cast<float>(by));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

/// Partial sums, in a buffer that is allocated once.
static Tensor partialSums(const Tensor &x) {
  static float *buffer = nullptr;
  if (!buffer)
    C10_CUDA_CHECK(cudaMalloc(&buffer, 256 * sizeof(float)));
  C10_CUDA_CHECK(cudaMemsetAsync(buffer, 0, 256 * sizeof(float), current()));
  sumUp<<<blocks(x.numel()), 256, 0, current()>>>(buffer, x.data_ptr<float>(),
                                                  x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  Tensor out = at::empty({256}, x.options());
  C10_CUDA_CHECK(cudaMemcpyAsync(out.data_ptr<float>(), buffer,
                                 256 * sizeof(float), cudaMemcpyDeviceToDevice,
                                 current()));
  return out;
}

/// Sorts with a library whose source is not available.
static Tensor sortLogits(const Tensor &logits) {
  Tensor out = logits.clone();
  vendor::sort(out.data_ptr<float>(), out.numel(), current());
  return out;
}

TORCH_LIBRARY(sampling, m) {
  m.def("apply_temperature(Tensor logits, Tensor temperature) -> Tensor");
  m.def("repetition_penalty(Tensor logits, Tensor seen, float by) -> Tensor");
  m.def("partial_sums(Tensor x) -> Tensor");
  m.def("sort_logits(Tensor logits) -> Tensor");
}

TORCH_LIBRARY_IMPL(sampling, CUDA, m) {
  m.impl("apply_temperature", &applyTemperature);
  m.impl("repetition_penalty", &repetitionPenalty);
  m.impl("partial_sums", &partialSums);
  m.impl("sort_logits", &sortLogits);
}
