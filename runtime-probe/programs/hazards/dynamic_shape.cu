//===- dynamic_shape.cu - Sizes that a graph retains ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grid and the length of a copy are fixed at the capture, so additional
// elements are not processed. The same applies to a graph that a cache returns
// for the wrong size. Remedies: capture for the maximum number of elements and
// read the actual number on the device, or use a graph for each size.
//
//===----------------------------------------------------------------------===//

#include "Hazard.h"

#include <map>
#include <memory>

constexpr int Block = 32, Before = 2 * Block, After = 4 * Block,
              Most = 8 * Block;

__global__ void set(float *X) { X[blockIdx.x * Block + threadIdx.x] = 1; }
__global__ void setUpTo(float *X, const int *N) {
  int I = blockIdx.x * Block + threadIdx.x;
  if (I < *N)
    X[I] = 1;
}

struct Data {
  float *X = allocate<float>(Most), *From = allocate<float>(Most);
  int *DeviceN = allocate<int>(1);
  int N = Before;

  Data() {
    set<<<Most / Block, Block>>>(From);
    MUST(cudaDeviceSynchronize());
  }
  void resize(int To, cudaStream_t S) {
    N = To;
    MUST(cudaMemcpyAsync(DeviceN, &N, 4, cudaMemcpyHostToDevice, S));
  }
  /// The number of elements that were set; clears them.
  float take() {
    float Sum = sum(X, Most);
    MUST(cudaMemset(X, 0, Most * 4));
    MUST(cudaDeviceSynchronize());
    return Sum;
  }
};
/// Captured for 64 elements, and replayed with 128.
template <typename Function>
static Outcome compare(cudaStream_t S, Function Region, const char *Note) {
  Data D;
  D.resize(After, S);
  Region(D);
  float Eager = D.take();
  D.resize(Before, S);
  Graph G(S, [&] { Region(D); });
  D.resize(After, S);
  G.replay();
  return {text(Eager), text(D.take()), Note};
}

static Outcome grid(cudaStream_t S) {
  auto Region = [=](Data &D) { set<<<D.N / Block, Block, 0, S>>>(D.X); };
  return compare(S, Region, "elements set; the grid is that for 64");
}
static Outcome gridCured(cudaStream_t S) {
  auto Region = [=](Data &D) {
    setUpTo<<<Most / Block, Block, 0, S>>>(D.X, D.DeviceN);
  };
  return compare(S, Region, "the largest grid; the device has the number");
}
static Outcome copyExtent(cudaStream_t S) {
  auto Region = [=](Data &D) {
    MUST(cudaMemcpyAsync(D.X, D.From, D.N * 4, cudaMemcpyDeviceToDevice, S));
  };
  return compare(S, Region, "elements copied; the length is that for 64");
}
__global__ void copyUpTo(float *To, const float *From, const int *N) {
  for (int I = threadIdx.x; I < *N; I += Block)
    To[I] = From[I];
}
static Outcome copyExtentCured(cudaStream_t S) {
  auto Region = [=](Data &D) {
    copyUpTo<<<1, Block, 0, S>>>(D.X, D.From, D.DeviceN);
  };
  return compare(S, Region,
                 "a kernel copies as many elements as the device specifies");
}

/// A graph's key is the operator's name and, in the fixed form, also the size.
static Outcome cache(cudaStream_t S, bool WithSize) {
  Data D;
  std::map<std::pair<std::string, int>, std::unique_ptr<Graph>> Graphs;
  auto Run = [&](int N) {
    auto &G = Graphs[{"set", WithSize ? N : 0}];
    D.N = N;
    if (!G)
      G = std::make_unique<Graph>(
          S, [&] { set<<<N / Block, Block, 0, S>>>(D.X); });
    G->replay();
    return D.take();
  };
  std::vector<float> Eager, Replay;
  for (int N : {Before, After, Block}) {
    set<<<N / Block, Block, 0, S>>>(D.X);
    Eager.push_back(D.take());
    Replay.push_back(Run(N));
  }
  return {text(Eager), text(Replay),
          "graphs for 3 sizes: " + text(Graphs.size())};
}
static Outcome cacheKey(cudaStream_t S) { return cache(S, false); }
static Outcome cacheKeyCured(cudaStream_t S) { return cache(S, true); }

int main(int Count, char **Args) {
  const Variant Variants[] = {{"grid", grid},
                              {"grid-cured", gridCured},
                              {"copy-extent", copyExtent},
                              {"copy-extent-cured", copyExtentCured},
                              {"cache-key", cacheKey},
                              {"cache-key-cured", cacheKeyCured}};
  return runVariants("cudagraph-dynamic-shape", Variants, Count, Args);
}
