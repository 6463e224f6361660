//===- clean.cu - Captures without findings -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any finding in these programs is a false positive.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <thread>

static void simple(Setup &S) {
  begin(S.Stream);
  MUST(
      cudaMemcpyAsync(S.Device, S.Host, 256, cudaMemcpyHostToDevice, S.Stream));
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  MUST(cudaMemsetAsync(S.Device, 0, 64, S.Stream));
  finish(S.Stream);
}

static void forkJoin(Setup &S) {
  cudaEvent_t Joined;
  MUST(cudaEventCreateWithFlags(&Joined, cudaEventDisableTiming));
  begin(S.Stream);
  MUST(cudaEventRecord(S.Event, S.Stream));
  MUST(cudaStreamWaitEvent(S.Other, S.Event));
  scale<<<1, 64, 0, S.Other>>>(S.Device, 2);
  scale<<<1, 64, 0, S.Stream>>>(S.Device + 32, 2);
  MUST(cudaEventRecord(Joined, S.Other));
  MUST(cudaStreamWaitEvent(S.Stream, Joined));
  finish(S.Stream);
}

// The probe ignores errors outside captures.
static void errorsOutside(Setup &S) {
  cudaFree(reinterpret_cast<void *>(1));
  cudaGetLastError();
  cudaStreamQuery(S.Stream);
  simple(S);
}

static void elsewhere() {
  void *P;
  cudaSetDevice(0);
  MUST(cudaMalloc(&P, 4096));
  MUST(cudaFree(P));
}
static void threadLocal(Setup &S) {
  begin(S.Stream, cudaStreamCaptureModeThreadLocal);
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  std::thread Worker(elsewhere);
  Worker.join();
  finish(S.Stream);
}

// Memory of the graph, and code that first tests for a capture.
static void guarded(Setup &S) {
  cudaStreamCaptureStatus Status;
  float *P;
  begin(S.Stream);
  MUST(cudaMallocAsync(&P, 256, S.Stream));
  MUST(cudaMemsetAsync(P, 0, 256, S.Stream));
  MUST(cudaFreeAsync(P, S.Stream));
  MUST(cudaStreamIsCapturing(S.Stream, &Status));
  if (Status == cudaStreamCaptureStatusNone)
    MUST(cudaStreamSynchronize(S.Stream));
  finish(S.Stream);
}

static void again(Setup &S) {
  for (int I = 0; I != 3; ++I)
    simple(S);
}

int main(int Count, char **Args) {
  const Case Cases[] = {{"simple", simple},
                        {"fork-join", forkJoin},
                        {"errors-outside", errorsOutside},
                        {"thread-local", threadLocal},
                        {"guarded", guarded},
                        {"again", again}};
  return runCase(Cases, Count, Args);
}
