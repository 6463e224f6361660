//===- growing_workspace.cu - Workspaces that grow after the capture ------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workspace that is freed and reallocated with a larger size when a later
// call needs more. The graph still writes to the captured block, which then has
// a different owner, and never writes to the new one. Remedies: capture again,
// or allocate the maximum beforehand.
//
//===----------------------------------------------------------------------===//

#include "Hazard.h"

constexpr size_t Small = 2 << 20, Large = 2 * Small; // numbers: 8 and 16 MiB

__global__ void fill(float *To, float By, size_t N) {
  for (size_t I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    To[I] = By;
}

class Workspace {
  cudaStream_t Ordered; // null: cudaMalloc
  float *Data = nullptr;
  size_t Length = 0;

public:
  explicit Workspace(cudaStream_t S = nullptr) : Ordered(S) {}
  float *data() const { return Data; }

  /// As libraries do: free, allocate a larger block, and assign.
  float *reserve(size_t N) {
    if (N <= Length)
      return Data;
    if (Ordered) {
      if (Data)
        MUST(cudaFreeAsync(Data, Ordered));
      MUST(cudaMallocAsync(&Data, N * 4, Ordered));
      MUST(cudaMemsetAsync(Data, 0, N * 4, Ordered));
      MUST(cudaStreamSynchronize(Ordered));
    } else {
      MUST(cudaFree(Data));
      Data = allocate<float>(N);
    }
    Length = N;
    return Data;
  }
};

/// A workspace between blocks with other owners, as in any larger program, so
/// that it cannot grow in place.
struct Scene {
  Workspace W;
  const float *Captured = nullptr;

  explicit Scene(cudaStream_t Ordered = nullptr) : W(Ordered) {
    allocate<float>(Small);
    W.reserve(Small);
    float *Next;
    if (Ordered)
      MUST(cudaMallocAsync(&Next, Small * 4, Ordered));
    else
      MUST(cudaMalloc(&Next, Small * 4));
    MUST(cudaDeviceSynchronize());
  }
  /// The captured code: an operator with a workspace.
  void operate(float By, size_t N, cudaStream_t S) {
    fill<<<64, 256, 0, S>>>(W.reserve(N), By, N);
  }
  /// Another owner's block, at the location of the captured one if possible.
  float *victim(cudaStream_t Ordered = nullptr) {
    float *P = nullptr;
    for (int I = 0; I < 32 && P != Captured; ++I) {
      if (Ordered)
        MUST(cudaMallocAsync(&P, Small * 4, Ordered));
      else
        MUST(cudaMalloc(&P, Small * 4));
    }
    MUST(cudaMemset(P, 0, Small * 4));
    MUST(cudaDeviceSynchronize());
    return P;
  }
  std::string where(const float *Victim) const {
    return std::string("the workspace moved: ") +
           (W.data() != Captured ? "yes" : "no") +
           "; another owner has the captured address: " +
           (Victim == Captured ? "yes" : "no");
  }
};

/// The contents of another owner's block that remain.
static Outcome corrupts(cudaStream_t S, bool Ordered) {
  Scene At(Ordered ? S : nullptr);
  Graph G(S, [&] { At.operate(1, Small, S); });
  At.Captured = At.W.data();
  At.operate(2, Large, S); // grows
  MUST(cudaStreamSynchronize(S));
  float *Victim = At.victim(Ordered ? S : nullptr);
  At.operate(1, Small, S);
  float Eager = sum(Victim, 16);
  G.replay();
  return {text(Eager), text(sum(Victim, 16)), At.where(Victim)};
}
static Outcome freed(cudaStream_t S) { return corrupts(S, false); }
static Outcome freedAsync(cudaStream_t S) { return corrupts(S, true); }
static Outcome recaptured(cudaStream_t S, bool Ordered) {
  Scene At(Ordered ? S : nullptr);
  {
    Graph Old(S, [&] { At.operate(1, Small, S); });
    Old.replay();
  }
  At.Captured = At.W.data();
  At.operate(2, Large, S); // grows
  MUST(cudaStreamSynchronize(S));
  float *Victim = At.victim(Ordered ? S : nullptr);
  Graph G(S, [&] { At.operate(1, Small, S); });
  At.operate(1, Small, S);
  float Eager = sum(Victim, 16);
  G.replay();
  return {text(Eager), text(sum(Victim, 16)),
          "captured again: " + At.where(Victim)};
}
static Outcome freedCured(cudaStream_t S) { return recaptured(S, false); }
static Outcome freedAsyncCured(cudaStream_t S) { return recaptured(S, true); }

/// The contents of the operator's workspace, after a larger call cleared it.
static Outcome writes(cudaStream_t S, bool Beforehand) {
  Scene At;
  if (Beforehand)
    At.W.reserve(Large);
  Graph G(S, [&] { At.operate(1, Small, S); });
  At.Captured = At.W.data();
  At.operate(0, Large, S); // grows, unless it was large enough
  MUST(cudaStreamSynchronize(S));
  float *Victim = Beforehand ? nullptr : At.victim(); // written by the graph
  At.operate(1, Small, S);
  float Eager = sum(At.W.data(), 16);
  At.operate(0, Large, S);
  MUST(cudaStreamSynchronize(S));
  G.replay();
  return {text(Eager), text(sum(At.W.data(), 16)), At.where(Victim)};
}
static Outcome unwritten(cudaStream_t S) { return writes(S, false); }
static Outcome unwrittenCured(cudaStream_t S) { return writes(S, true); }

int main(int Count, char **Args) {
  const Variant Variants[] = {{"freed", freed},
                              {"freed-cured", freedCured},
                              {"freed-async", freedAsync},
                              {"freed-async-cured", freedAsyncCured},
                              {"unwritten", unwritten},
                              {"unwritten-cured", unwrittenCured}};
  return runVariants("cudagraph-growing-workspace", Variants, Count, Args);
}
