//===- engine.cu - The engine of the tutorial -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inference engine that captures a step once and replays it for each token.
// The capture fails, and even if it succeeded, the replays would be wrong.
// docs/tutorials/fix-a-captured-engine.md leads to an engine that works.
//
//===----------------------------------------------------------------------===//

#include "layers.h"
#include <cstdio>
#include <cstdlib>

#define CHECK(CALL)                                                            \
  do {                                                                         \
    cudaError_t error = (CALL);                                                \
    if (error != cudaSuccess) {                                                \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                  \
                   cudaGetErrorString(error));                                 \
      std::abort();                                                            \
    }                                                                          \
  } while (0)

class Engine {
public:
  explicit Engine(int n) : n(n) {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemsetAsync(x, 0, n * sizeof(float), stream));
  }

  ~Engine() {
    cudaGraphExecDestroy(exec);
    cudaFree(x);
    cudaStreamDestroy(stream);
  }

  void record() {
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    step();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
  }

  void replay() { CHECK(cudaGraphLaunch(exec, stream)); }

  void finish() { CHECK(cudaStreamSynchronize(stream)); }

private:
  void step() {
    float *sum;
    CHECK(cudaMalloc(&sum, sizeof(float)));
    embed(x, n, position++, stream);
    normalize(x, n, sum, stream);
    trace("after the step", x, stream);
    CHECK(cudaFree(sum));
  }

  int n;
  int position = 0;
  float *x = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
};

int main() {
  Engine engine(1 << 20);
  engine.record();
  for (int token = 0; token < 100; ++token)
    engine.replay();
  engine.finish();
}
