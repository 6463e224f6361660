//===- host_logic.cu - Host code that runs only at capture ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host side effects in a region happen once: counters and containers do not
// grow with the replays, and only the branch that an `if` took is in the graph.
// Remedies: count and branch on the device, or use a host function.
//
//===----------------------------------------------------------------------===//

#include "Hazard.h"

constexpr int Runs = 4;

__global__ void add(float *X, float By) { *X += By; }
__global__ void addEither(float *X, const int *Flag) { *X += *Flag ? 1 : 100; }

/// The results of a region after four runs without a graph, and after four
/// replays.
struct Model {
  cudaStream_t S;
  float *X = allocate<float>(1), *DeviceCount = allocate<float>(1);
  int Count = 0;
  std::vector<float> History;

  explicit Model(cudaStream_t S) : S(S) {}
  void forward() { add<<<1, 1, 0, S>>>(X, 1); }
  void reset() {
    MUST(cudaDeviceSynchronize());
    Count = 0;
    History.clear();
    MUST(cudaMemset(DeviceCount, 0, 4));
    MUST(cudaDeviceSynchronize());
  }
};
template <typename Function, typename Result>
static Outcome compare(cudaStream_t S, Function Region, Result Read,
                       const char *Note) {
  Model M(S);
  for (int I = 0; I < Runs; ++I)
    Region(M);
  MUST(cudaStreamSynchronize(S));
  std::string Eager = Read(M);
  M.reset();
  Graph G(S, [&] { Region(M); });
  for (int I = 0; I < Runs; ++I)
    G.replay();
  return {Eager, Read(M), Note};
}

static Outcome counter(cudaStream_t S) {
  auto Region = [](Model &M) {
    M.forward();
    ++M.Count;
  };
  auto Read = [](Model &M) { return text(M.Count); };
  return compare(S, Region, Read, "the host counts only at capture");
}
static Outcome counterCured(cudaStream_t S) {
  auto Region = [](Model &M) {
    M.forward();
    add<<<1, 1, 0, M.S>>>(M.DeviceCount, 1);
  };
  auto Read = [](Model &M) { return text(sum(M.DeviceCount, 1)); };
  return compare(S, Region, Read, "the device counts");
}

static Outcome pushBack(cudaStream_t S) {
  auto Region = [](Model &M) {
    M.forward();
    M.History.push_back(1);
  };
  auto Read = [](Model &M) { return text(M.History.size()); };
  return compare(S, Region, Read, "entries of a vector");
}
static Outcome pushBackCured(cudaStream_t S) {
  auto Region = [](Model &M) {
    M.forward();
    auto Push = [](void *P) { static_cast<Model *>(P)->History.push_back(1); };
    MUST(cudaLaunchHostFunc(M.S, Push, &M));
  };
  auto Read = [](Model &M) { return text(M.History.size()); };
  return compare(S, Region, Read, "cudaLaunchHostFunc pushes");
}

/// The flag selects the number to add; it is 1 in two runs, and then 0.
struct Switch {
  int *Flag = allocate<int>(1);
  float *X = allocate<float>(1);
  int Host = 0;

  void set(int Run) {
    int Value = Run < Runs / 2;
    MUST(cudaMemcpy(Flag, &Value, 4, cudaMemcpyHostToDevice));
    MUST(cudaDeviceSynchronize());
  }
  void readBack() { MUST(cudaMemcpy(&Host, Flag, 4, cudaMemcpyDeviceToHost)); }
  void runOnHost(cudaStream_t S) {
    if (Host)
      add<<<1, 1, 0, S>>>(X, 1);
    else
      add<<<1, 1, 0, S>>>(X, 100);
  }
  std::string runEagerly(cudaStream_t S) {
    for (int I = 0; I < Runs; ++I) {
      set(I);
      readBack();
      runOnHost(S);
      MUST(cudaStreamSynchronize(S));
    }
    std::string Is = text(sum(X, 1));
    MUST(cudaMemset(X, 0, 4));
    set(0);
    readBack();
    return Is;
  }
};
static Outcome branch(cudaStream_t S) {
  Switch W;
  std::string Eager = W.runEagerly(S);
  Graph G(S, [&] { W.runOnHost(S); });
  for (int I = 0; I < Runs; ++I) {
    W.set(I);
    W.readBack();
    G.replay();
  }
  return {Eager, text(sum(W.X, 1)), "the branch that the capture took"};
}
static Outcome branchCured(cudaStream_t S) {
  Switch W;
  std::string Eager = W.runEagerly(S);
  Graph G(S, [&] { addEither<<<1, 1, 0, S>>>(W.X, W.Flag); });
  for (int I = 0; I < Runs; ++I) {
    W.set(I);
    G.replay();
  }
  return {Eager, text(sum(W.X, 1)), "the device decides"};
}

int main(int Count, char **Args) {
  const Variant Variants[] = {
      {"counter", counter},    {"counter-cured", counterCured},
      {"push-back", pushBack}, {"push-back-cured", pushBackCured},
      {"branch", branch},      {"branch-cured", branchCured}};
  return runVariants("cudagraph-host-logic", Variants, Count, Args);
}
