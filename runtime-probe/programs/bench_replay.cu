//===- bench_replay.cu - The cost of a graph launch -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: bench_replay [GRAPHS [ROUNDS [NODES]]]. Launches different graphs in
// turn; each has NODES kernels in addition to one to four. Prints two times per
// launch: the total, which the device determines if the kernels take longer
// than the calls, and that of the calls alone. The latter, which the host
// determines, is measured with bursts that the device's queue can hold. The
// same figures for plain launches follow.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <chrono>
#include <vector>

int main(int Count, char **Args) {
  int Graphs = Count > 1 ? std::atoi(Args[1]) : 1000;
  int Rounds = Count > 2 ? std::atoi(Args[2]) : 100;
  int More = Count > 3 ? std::atoi(Args[3]) : 0;
  Setup S;
  std::vector<cudaGraphExec_t> Execs(Graphs);
  for (int I = 0; I != Graphs; ++I) {
    cudaGraph_t Graph;
    begin(S.Stream);
    for (int Node = 0; Node <= More + I % 4; ++Node)
      scale<<<1, 64, 0, S.Stream>>>(S.Device, 1);
    MUST(cudaStreamEndCapture(S.Stream, &Graph));
    MUST(cudaGraphInstantiate(&Execs[I], Graph, 0));
    MUST(cudaGraphDestroy(Graph));
    MUST(cudaGraphLaunch(Execs[I], S.Stream)); // uploads it
  }
  MUST(cudaStreamSynchronize(S.Stream));

  auto Start = std::chrono::steady_clock::now();
  for (int Round = 0; Round != Rounds; ++Round)
    for (cudaGraphExec_t Exec : Execs)
      MUST(cudaGraphLaunch(Exec, S.Stream));
  MUST(cudaStreamSynchronize(S.Stream));
  std::chrono::duration<double, std::nano> Took =
      std::chrono::steady_clock::now() - Start;
  std::printf("replay %.1f ns/launch\n",
              Took.count() / (double(Graphs) * Rounds));

  constexpr int Burst = 16;
  Took = {};
  int Launches = 0;
  for (int Round = 0; Round != Rounds; ++Round)
    for (int I = 0; I + Burst <= Graphs; I += 4 * Burst, Launches += Burst) {
      Start = std::chrono::steady_clock::now();
      for (int Each = 0; Each != Burst; ++Each)
        MUST(cudaGraphLaunch(Execs[I + Each], S.Stream));
      Took += std::chrono::steady_clock::now() - Start;
      MUST(cudaStreamSynchronize(S.Stream));
    }
  std::printf("calls %.1f ns/launch\n", Took.count() / Launches);

  Took = {};
  for (int Each = 0; Each != Launches; Each += Burst) {
    Start = std::chrono::steady_clock::now();
    for (int I = 0; I != Burst; ++I)
      scale<<<1, 64, 0, S.Stream>>>(S.Device, 1);
    Took += std::chrono::steady_clock::now() - Start;
    MUST(cudaStreamSynchronize(S.Stream));
  }
  std::printf("kernels %.1f ns/launch\n", Took.count() / Launches);
}
