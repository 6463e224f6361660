//===- nccl_graph.cpp - NCCL in the graphs of a C++ program ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: nccl_graph destroy wrong|right. One process with two GPUs captures an
// all-reduce on each, and then ends the communicators.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <nccl.h>
#include <thread>
#include <unistd.h>

static void must(int Code, const char *What) {
  if (!Code)
    return;
  std::printf("%s: %d\n", What, Code);
  std::exit(1);
}
#define MUST(CALL) must(CALL, #CALL)

constexpr int Devices = 2, Count = 1024;

struct Rank {
  ncclComm_t Communicator = nullptr;
  cudaStream_t Stream = nullptr;
  float *Values = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
};
static Rank Ranks[Devices];

template <typename F> static void each(F Do) {
  for (int I = 0; I < Devices; ++I) {
    MUST(cudaSetDevice(I));
    Do(Ranks[I]);
  }
}

static void reduce() {
  MUST(ncclGroupStart());
  each([](Rank &R) {
    MUST(ncclAllReduce(R.Values, R.Values, Count, ncclFloat, ncclSum,
                       R.Communicator, R.Stream));
  });
  MUST(ncclGroupEnd());
}

static void wait() {
  each([](Rank &R) { MUST(cudaStreamSynchronize(R.Stream)); });
}

static void prepare() {
  ncclComm_t All[Devices];
  MUST(ncclCommInitAll(All, Devices, nullptr));
  int Next = 0;
  each([&](Rank &R) {
    R.Communicator = All[Next++];
    MUST(cudaStreamCreateWithFlags(&R.Stream, cudaStreamNonBlocking));
    MUST(cudaMalloc(&R.Values, Count * sizeof(float)));
    MUST(cudaMemset(R.Values, 0, Count * sizeof(float)));
  });
  reduce();
  wait();
}

static void capture() {
  each([](Rank &R) {
    MUST(cudaStreamBeginCapture(R.Stream, cudaStreamCaptureModeThreadLocal));
  });
  reduce();
  each([](Rank &R) { MUST(cudaStreamEndCapture(R.Stream, &R.Graph)); });
  each([](Rank &R) { MUST(cudaGraphInstantiate(&R.Exec, R.Graph, 0)); });
  each([](Rank &R) { MUST(cudaGraphLaunch(R.Exec, R.Stream)); });
  wait();
}

static void destroy(bool Right) {
  std::thread([] {
    sleep(5);
    std::puts("hangs");
    std::fflush(stdout);
    _exit(0);
  }).detach();
  if (Right)
    each([](Rank &R) {
      MUST(cudaGraphExecDestroy(R.Exec));
      MUST(cudaGraphDestroy(R.Graph));
    });
  for (Rank &R : Ranks)
    MUST(ncclCommDestroy(R.Communicator)); // FINDS communicator destroy-wrong
  std::puts("ends");
}

int main(int Given, char **Args) {
  if (Given != 3 || std::strcmp(Args[1], "destroy"))
    return std::puts("destroy"), 2;
  prepare();
  capture();
  destroy(!std::strcmp(Args[2], "right"));
}
