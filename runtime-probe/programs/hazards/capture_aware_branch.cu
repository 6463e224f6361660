//===- capture_aware_branch.cu - Different work in a capture --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that calls cudaStreamIsCapturing, and then launches a different kernel
// or skips work. Remedy: both branches do the same work; they differ only in
// operations that a capture forbids, such as a wait.
//
//===----------------------------------------------------------------------===//

#include "Hazard.h"

constexpr int Size = 32;

__global__ void scaleAndShift(float *X) {
  X[threadIdx.x] = 2 * X[threadIdx.x] + 1;
}
__global__ void scaleOnly(float *X) { X[threadIdx.x] *= 2; }
__global__ void clamp(float *X) { X[threadIdx.x] = fminf(X[threadIdx.x], 4); }
__global__ void set(float *X) { X[threadIdx.x] = threadIdx.x; }

static bool isCapturing(cudaStream_t S) {
  cudaStreamCaptureStatus Status;
  MUST(cudaStreamIsCapturing(S, &Status));
  return Status != cudaStreamCaptureStatusNone;
}

/// Runs the same region eagerly and with a graph, from the same numbers.
template <typename Function>
static Outcome compare(cudaStream_t S, Function Region, const char *Note) {
  float *X = allocate<float>(Size);
  set<<<1, Size, 0, S>>>(X);
  Region(X);
  float Eager = sum(X, Size);
  Graph G(S, [&] { Region(X); });
  set<<<1, Size, 0, S>>>(X);
  G.replay();
  return {text(Eager), text(sum(X, Size)), Note};
}

static Outcome otherKernel(cudaStream_t S) {
  auto Region = [&](float *X) {
    if (isCapturing(S))
      scaleOnly<<<1, Size, 0, S>>>(X);
    else
      scaleAndShift<<<1, Size, 0, S>>>(X);
  };
  return compare(S, Region, "the branch taken at capture does not add 1");
}
static Outcome otherKernelCured(cudaStream_t S) {
  auto Region = [&](float *X) {
    scaleAndShift<<<1, Size, 0, S>>>(X);
    if (!isCapturing(S))
      MUST(cudaStreamSynchronize(S)); // not permitted in a capture
  };
  return compare(S, Region, "only a wait depends on the capture");
}

static Outcome skipsWork(cudaStream_t S) {
  auto Region = [&](float *X) {
    scaleOnly<<<1, Size, 0, S>>>(X);
    if (isCapturing(S))
      return;
    clamp<<<1, Size, 0, S>>>(X);
  };
  return compare(S, Region, "nothing is clamped in the graph");
}
static Outcome skipsWorkCured(cudaStream_t S) {
  auto Region = [&](float *X) {
    scaleOnly<<<1, Size, 0, S>>>(X);
    clamp<<<1, Size, 0, S>>>(X);
  };
  return compare(S, Region, "the work is the same");
}

/// Eagerly, the host branches on a sum; in a capture, it must not read it.
static Outcome assumes(cudaStream_t S) {
  auto Region = [&](float *X) {
    bool Large = true;
    if (!isCapturing(S))
      Large = sum(X, Size) > 1000;
    if (Large)
      clamp<<<1, Size, 0, S>>>(X);
  };
  return compare(S, Region,
                 "the capture assumes the value that the host would read");
}
__global__ void clampIfLarge(float *X) {
  __shared__ float Sum;
  if (!threadIdx.x)
    Sum = 0;
  __syncthreads();
  atomicAdd(&Sum, X[threadIdx.x]);
  __syncthreads();
  if (Sum > 1000)
    X[threadIdx.x] = fminf(X[threadIdx.x], 4);
}
static Outcome assumesCured(cudaStream_t S) {
  auto Region = [&](float *X) { clampIfLarge<<<1, Size, 0, S>>>(X); };
  return compare(S, Region, "the device decides");
}

int main(int Count, char **Args) {
  const Variant Variants[] = {
      {"other-kernel", otherKernel}, {"other-kernel-cured", otherKernelCured},
      {"skips-work", skipsWork},     {"skips-work-cured", skipsWorkCured},
      {"assumes", assumes},          {"assumes-cured", assumesCured}};
  return runVariants("cudagraph-capture-aware-branch", Variants, Count, Args);
}
