//===- Program.h - The common part of the GPU test programs -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program has named cases and runs the one that its argument names. Lines
// that the probe must find end with a marker (run_gpu.py):
//
//   // BREAKS 900 CASE       refused with 900: the cause
//   // SURVIVES 1 CASE       refused, and the capture continues
//   // FINDS KIND CASE       a finding of that kind
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROGRAM_H
#define CUDAGRAPH_PROGRAM_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static __global__ void scale(float *X, float By) { X[threadIdx.x] *= By; }

/// Preparations must succeed. Results of tested calls are not checked.
#define MUST(CALL)                                                             \
  do {                                                                         \
    if (int Code = static_cast<int>(CALL)) {                                   \
      std::fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #CALL,       \
                   Code);                                                      \
      std::exit(99);                                                           \
    }                                                                          \
  } while (false)

/// The objects of the cases, created first so that no first use is captured.
struct Setup {
  cudaStream_t Stream, Other; // non-blocking
  cudaStream_t Blocking;
  cudaEvent_t Event;
  float *Device, *Host; // 64 numbers; Host is pinned

  Setup() {
    MUST(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&Other, cudaStreamNonBlocking));
    MUST(cudaStreamCreate(&Blocking));
    MUST(cudaEventCreate(&Event));
    MUST(cudaMalloc(&Device, 256));
    MUST(cudaMallocHost(&Host, 256));
    std::memset(Host, 0, 256);
    MUST(cudaMemset(Device, 0, 256));
    scale<<<1, 64, 0, Stream>>>(Device, 1);
    MUST(cudaDeviceSynchronize());
  }
};

inline void begin(cudaStream_t S,
                  cudaStreamCaptureMode Mode = cudaStreamCaptureModeGlobal) {
  MUST(cudaStreamBeginCapture(S, Mode));
}

/// Ends the capture, and replays its graph.
inline void finish(cudaStream_t S) {
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec;
  cudaStreamEndCapture(S, &Graph);
  cudaGetLastError();
  if (!Graph)
    return;
  MUST(cudaGraphInstantiate(&Exec, Graph, 0));
  MUST(cudaGraphLaunch(Exec, S));
  MUST(cudaStreamSynchronize(S));
  MUST(cudaGraphExecDestroy(Exec));
  MUST(cudaGraphDestroy(Graph));
}

struct Case {
  const char *Name;
  void (*Run)(Setup &);
};

template <int N> int runCase(const Case (&Cases)[N], int Count, char **Args) {
  for (const Case &C : Cases)
    if (Count == 2 && !std::strcmp(Args[1], C.Name)) {
      Setup S;
      C.Run(S);
      return 0;
    }
  for (const Case &C : Cases)
    std::printf("%s\n", C.Name);
  return 2;
}

#endif // CUDAGRAPH_PROGRAM_H
