//===- silent.cu - Hazards that CUDA accepts silently ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work outside the graph, copies with pageable memory, refusals that a capture
// survives, captures without nodes or without an end, and frozen values.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

__global__ void late(float *X) { X[threadIdx.x] += 3; }

static void launchByDefault(float *P) {
  scale<<<1, 64>>>(P, 2); // FINDS escaped escaped-launch
}
static void escapedLaunch(Setup &S) {
  begin(S.Stream);
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  launchByDefault(S.Device);
  finish(S.Stream);
}

static void upload(Setup &S) {
  cudaMemcpy(S.Device, S.Host, 256, // FINDS escaped escaped-copy
             cudaMemcpyHostToDevice);
}
static void escapedCopy(Setup &S) {
  begin(S.Stream);
  upload(S);
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  finish(S.Stream);
}

static void release(float *P, cudaStream_t S) {
  cudaFreeAsync(P, S); // SURVIVES 1 survived
}
static void survived(Setup &S) {
  float *P;
  MUST(cudaMallocAsync(&P, 256, S.Stream));
  MUST(cudaStreamSynchronize(S.Stream));
  begin(S.Stream);
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  release(P, S.Stream);
  finish(S.Stream);
}

static void endEmpty(cudaStream_t S) {
  cudaGraph_t Graph;
  MUST(cudaStreamEndCapture(S, &Graph));
  MUST(cudaGraphDestroy(Graph));
}
static void empty(Setup &S) {
  begin(S.Stream);
  endEmpty(S.Stream);
}

static void copyFrom(Setup &S, const void *From) {
  cudaMemcpyAsync(S.Device, From, // FINDS pageable-copy stack dead heap static
                  64, cudaMemcpyHostToDevice, S.Stream);
}
static void fromStack(Setup &S) {
  float Local[16] = {1};
  begin(S.Stream);
  copyFrom(S, Local);
  finish(S.Stream);
}
// The array no longer exists when the capture ends.
__attribute__((noinline)) static void copyLocal(Setup &S) {
  float Local[16] = {1};
  copyFrom(S, Local);
}
static void fromDead(Setup &S) {
  begin(S.Stream);
  copyLocal(S);
  finish(S.Stream);
}
static void fromHeap(Setup &S) {
  void *P = std::calloc(1, 64);
  begin(S.Stream);
  copyFrom(S, P);
  finish(S.Stream);
  std::free(P);
}
static void fromStatic(Setup &S) {
  static float Table[16] = {1};
  begin(S.Stream);
  copyFrom(S, Table);
  finish(S.Stream);
}

// The first launch of a kernel loads its code: CUDA_MODULE_LOADING=LAZY.
static void firstUse(Setup &S) {
  late<<<1, 64, 0, S.Stream>>>(S.Device); // FINDS first-call first-call
}
static void firstCall(Setup &S) {
  begin(S.Stream);
  firstUse(S);
  finish(S.Stream);
}

static void open(cudaStream_t S) {
  MUST(cudaStreamBeginCapture(S, // FINDS unfinished unfinished
                              cudaStreamCaptureModeThreadLocal));
}
static void unfinished(Setup &S) {
  open(S.Stream);
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
}

// One location captures twice, with different values.
static void record(Setup &S, float By, int Grid, size_t Bytes) {
  begin(S.Stream);
  scale<<<Grid, 64, 0, S.Stream>>>(S.Device, By);
  MUST(cudaMemcpyAsync(S.Host, S.Device, Bytes, cudaMemcpyDeviceToHost,
                       S.Stream));
  finish(S.Stream);
}
static void frozenArgument(Setup &S) {
  for (float By : {2.f, 3.f})
    record(S, By, 1, 256);
}
static void frozenGrid(Setup &S) {
  for (int Grid : {1, 2})
    record(S, 2, Grid, 256);
}
static void frozenSize(Setup &S) {
  for (size_t Bytes : {256, 128})
    record(S, 2, 1, Bytes);
}

int main(int Count, char **Args) {
  const Case Cases[] = {{"escaped-launch", escapedLaunch},
                        {"escaped-copy", escapedCopy},
                        {"survived", survived},
                        {"empty", empty},
                        {"stack", fromStack},
                        {"dead", fromDead},
                        {"heap", fromHeap},
                        {"static", fromStatic},
                        {"first-call", firstCall},
                        {"unfinished", unfinished},
                        {"frozen-argument", frozenArgument},
                        {"frozen-grid", frozenGrid},
                        {"frozen-size", frozenSize}};
  return runCase(Cases, Count, Args);
}
