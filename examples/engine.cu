//===- engine.cu - A capture that fails for three reasons -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inference engine captures one step. Each call that CUDA refuses looks
// harmless, because the capture begins in a different function.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(CALL)                                                            \
  do {                                                                         \
    cudaError_t error = (CALL);                                                \
    if (error != cudaSuccess) {                                                \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                  \
                   cudaGetErrorString(error));                                 \
      std::abort();                                                            \
    }                                                                          \
  } while (0)

__global__ void scale(float *x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= factor;
}

class Engine {
public:
  explicit Engine(int n) : n(n) {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&x, n * sizeof(float)));
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

  void replay() {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
  }

private:
  void step() {
    float *scratch;
    // Allocation is forbidden while a stream captures in global mode.
    CHECK(cudaMalloc(&scratch, n * sizeof(float)));
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, n, 0.5f);
    finish();
    CHECK(cudaFree(scratch));
  }

  // A leftover from debugging, two calls away from the capture.
  void finish() { CHECK(cudaStreamSynchronize(stream)); }

  int n;
  float *x = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
};

int main() {
  Engine engine(1 << 20);
  engine.record();
  for (int i = 0; i < 100; ++i)
    engine.replay();
}
