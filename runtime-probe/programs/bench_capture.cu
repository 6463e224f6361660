//===- bench_capture.cu - The cost of a captured call ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: bench_capture [CALLS [ROUNDS]]. Captures many launches.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <chrono>

int main(int Count, char **Args) {
  int Calls = Count > 1 ? std::atoi(Args[1]) : 10000;
  int Rounds = Count > 2 ? std::atoi(Args[2]) : 20;
  Setup S;
  std::chrono::duration<double, std::micro> Took{0};
  for (int Round = 0; Round <= Rounds; ++Round) {
    cudaGraph_t Graph;
    auto Start = std::chrono::steady_clock::now();
    begin(S.Stream);
    for (int I = 0; I != Calls; ++I)
      scale<<<1, 64, 0, S.Stream>>>(S.Device, 1);
    MUST(cudaStreamEndCapture(S.Stream, &Graph));
    if (Round) // the first one warms up
      Took += std::chrono::steady_clock::now() - Start;
    MUST(cudaGraphDestroy(Graph));
  }
  std::printf("capture %.3f us/call\n", Took.count() / Calls / Rounds);
}
