//===- refused.cu - One case for each code from 900 to 908 ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The breaking call is a few levels below the call that began the capture. 901
// is never the cause: it is a cascading error in the capturing thread.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <thread>

static void grow(float **P) {
  cudaMalloc(P, 1 << 20); // BREAKS 900 allocate
}
static void resize(Setup &S) {
  float *P;
  grow(&P);
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
}
static void allocate(Setup &S) {
  begin(S.Stream);
  resize(S);
  finish(S.Stream);
}

static void waitFor(cudaStream_t S) {
  cudaStreamSynchronize(S); // BREAKS 900 synchronize
}
static void synchronize(Setup &S) {
  begin(S.Stream, cudaStreamCaptureModeRelaxed);
  waitFor(S.Stream);
  finish(S.Stream);
}

// The other thread is refused; here, the next call returns 901.
static void prefetch(float **P) {
  cudaSetDevice(0);
  cudaMalloc(P, 4096); // BREAKS 900 thread
}
static void thread(Setup &S) {
  float *P;
  begin(S.Stream);
  std::thread Worker(prefetch, &P);
  Worker.join();
  cudaMemsetAsync(S.Device, 0, 256, S.Stream);
  finish(S.Stream);
}

static void merge(Setup &S) {
  cudaStreamWaitEvent(S.Stream, S.Event); // BREAKS 902 merge
}
static void twoCaptures(Setup &S) {
  begin(S.Stream);
  begin(S.Other);
  MUST(cudaEventRecord(S.Event, S.Other));
  merge(S);
  finish(S.Stream);
  finish(S.Other);
}

static void fork(Setup &S) {
  MUST(cudaEventRecord(S.Event, S.Stream));
  MUST(cudaStreamWaitEvent(S.Other, S.Event));
  scale<<<1, 64, 0, S.Other>>>(S.Device, 2);
}
static void join(Setup &S) {
  MUST(cudaEventRecord(S.Event, S.Other));
  MUST(cudaStreamWaitEvent(S.Stream, S.Event));
}

static void endOn(cudaStream_t S) {
  cudaGraph_t Graph;
  cudaStreamEndCapture(S, &Graph); // BREAKS 903 unmatched
}
static void unmatched(Setup &S) {
  begin(S.Stream);
  fork(S);
  join(S);
  endOn(S.Other);
  finish(S.Stream);
}

static void endWithoutJoin(cudaStream_t S) {
  cudaGraph_t Graph;
  cudaStreamEndCapture(S, &Graph); // BREAKS 904 unjoined
}
static void unjoined(Setup &S) {
  begin(S.Stream);
  fork(S);
  endWithoutJoin(S.Stream);
}

static void await(Setup &S) {
  cudaStreamWaitEvent(S.Stream, S.Event); // BREAKS 905 isolation
}
static void isolation(Setup &S) {
  MUST(cudaEventRecord(S.Event, S.Other));
  begin(S.Stream);
  await(S);
  finish(S.Stream);
}

static void launchWithoutStream(float *P) {
  scale<<<1, 64>>>(P, 2); // BREAKS 906 implicit
}
static void implicit(Setup &S) {
  begin(S.Blocking);
  launchWithoutStream(S.Device);
  finish(S.Blocking);
}

static bool done(cudaEvent_t E) {
  return cudaEventQuery(E) == cudaSuccess; // BREAKS 907 captured-event
}
static void capturedEvent(Setup &S) {
  begin(S.Stream);
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  MUST(cudaEventRecord(S.Event, S.Stream));
  done(S.Event);
  finish(S.Stream);
}

static void endElsewhere(cudaStream_t S) {
  cudaGraph_t Graph;
  cudaSetDevice(0);
  cudaStreamEndCapture(S, &Graph); // BREAKS 908 wrong-thread
}
static void wrongThread(Setup &S) {
  begin(S.Stream);
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  std::thread Worker(endElsewhere, S.Stream);
  Worker.join();
  finish(S.Stream);
}

int main(int Count, char **Args) {
  const Case Cases[] = {{"allocate", allocate},
                        {"synchronize", synchronize},
                        {"thread", thread},
                        {"merge", twoCaptures},
                        {"unmatched", unmatched},
                        {"unjoined", unjoined},
                        {"isolation", isolation},
                        {"implicit", implicit},
                        {"captured-event", capturedEvent},
                        {"wrong-thread", wrongThread}};
  return runCase(Cases, Count, Args);
}
