//===- missing_warmup.cu - The effect of the first call in a capture ------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A first call that allocates, or initializes data for later calls. A captured
// allocation is refused, or, in relaxed mode, the initialization is only a part
// of this graph. Remedy: call the function once before the capture.
//
//===----------------------------------------------------------------------===//

#include "Hazard.h"

#include <cublas_v2.h>

constexpr int Runs = 3;

__global__ void increment(float *State) { *State += 1; }
__global__ void fillTable(float *Table) { Table[threadIdx.x] = threadIdx.x; }
__global__ void lookUp(float *To, const float *Table) {
  *To = Table[10] + Table[20];
}

/// A counter on the device, created on the first use of each Place.
template <int Place> static float *state(cudaStream_t S, cudaError_t *Code) {
  static float *State = [=] {
    float *P = nullptr;
    *Code = cudaMalloc(&P, 4);
    if (!*Code)
      MUST(cudaMemsetAsync(P, 0, 4, S));
    return P;
  }();
  return State;
}
template <int Place> static void region(cudaStream_t S, cudaError_t *Code) {
  if (float *State = state<Place>(S, Code))
    increment<<<1, 1, 0, S>>>(State);
}
/// The counter after three calls; Place 0 is for those without a graph.
static std::string countEagerly(cudaStream_t S) {
  cudaError_t Code = cudaSuccess;
  for (int I = 0; I < Runs; ++I)
    region<0>(S, &Code);
  return text(sum(state<0>(S, &Code), 1));
}

static Outcome mallocGlobal(cudaStream_t S) {
  cudaError_t Code = cudaSuccess;
  std::string Eager = countEagerly(S);
  Graph G(S, [&] { region<1>(S, &Code); });
  return {Eager, G.End ? "no graph" : "graph",
          "the end of the capture returned " + text(G.End), text(Code)};
}
static Outcome mallocGlobalCured(cudaStream_t S) {
  cudaError_t Code = cudaSuccess;
  std::string Eager = countEagerly(S);
  region<1>(S, &Code); // warm up: the first of the calls
  Graph G(S, [&] { region<1>(S, &Code); });
  for (int I = 1; I < Runs; ++I)
    G.replay();
  return {Eager, text(sum(state<1>(S, &Code), 1)),
          "the first call is made before the capture", text(Code)};
}

static Outcome mallocRelaxed(cudaStream_t S) {
  cudaError_t Code = cudaSuccess;
  std::string Eager = countEagerly(S);
  Graph G(S, [&] { region<1>(S, &Code); }, cudaStreamCaptureModeRelaxed);
  for (int I = 0; I < Runs; ++I)
    G.replay();
  return {Eager, text(sum(state<1>(S, &Code), 1)),
          "each replay sets the counter to zero first", text(Code)};
}
static Outcome mallocRelaxedCured(cudaStream_t S) {
  cudaError_t Code = cudaSuccess;
  std::string Eager = countEagerly(S);
  region<1>(S, &Code);
  Graph G(S, [&] { region<1>(S, &Code); }, cudaStreamCaptureModeRelaxed);
  for (int I = 1; I < Runs; ++I)
    G.replay();
  return {Eager, text(sum(state<1>(S, &Code), 1)),
          "the first call is made before the capture", text(Code)};
}

/// A table that the first call initializes.
class Operator {
  float *Table = allocate<float>(32);
  bool Filled = false;

public:
  void operator()(float *To, cudaStream_t S) {
    if (!Filled)
      fillTable<<<1, 32, 0, S>>>(Table);
    Filled = true;
    lookUp<<<1, 1, 0, S>>>(To, Table);
  }
};
static std::string lookUpEagerly(cudaStream_t S) {
  Operator Look;
  float *To = allocate<float>(1);
  Look(To, S);
  return text(sum(To, 1));
}
/// Two graphs, as for two batch sizes; the second is used first.
static Outcome secondGraph(cudaStream_t S) {
  Operator Look;
  float *To = allocate<float>(1);
  Graph First(S, [&] { Look(To, S); }), Second(S, [&] { Look(To, S); });
  Second.replay();
  return {lookUpEagerly(S), text(sum(To, 1)),
          "only the first graph fills the table"};
}
static Outcome secondGraphCured(cudaStream_t S) {
  Operator Look;
  float *To = allocate<float>(1);
  Look(To, S);
  MUST(cudaMemset(To, 0, 4));
  MUST(cudaDeviceSynchronize());
  Graph First(S, [&] { Look(To, S); }), Second(S, [&] { Look(To, S); });
  Second.replay();
  return {lookUpEagerly(S), text(sum(To, 1)),
          "a call before the captures fills the table"};
}

/// A product with a cuBLAS handle that is created at the first call.
struct Product {
  static constexpr int N = 512;
  cublasHandle_t Handle = nullptr;
  float *A = allocate<float>(N * N), *C = allocate<float>(N * N);

  Product() {
    std::vector<float> Ones(N * N, 1);
    MUST(cudaMemcpy(A, Ones.data(), N * N * 4, cudaMemcpyHostToDevice));
    MUST(cudaDeviceSynchronize());
  }
  int operator()(cudaStream_t S) {
    if (!Handle)
      if (int Status = cublasCreate(&Handle))
        return Status;
    if (int Status = cublasSetStream(Handle, S))
      return Status;
    float One = 1, Zero = 0;
    return cublasSgemm(Handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &One, A, N, A,
                       N, &Zero, C, N);
  }
};
/// The capture comes first, so that cuBLAS was not used before.
static Outcome cublas(cudaStream_t S, bool Create, bool Multiply) {
  Product Eager, InGraph;
  if (Create)
    MUST(cublasCreate(&InGraph.Handle));
  if (Multiply)
    MUST(InGraph(S));
  MUST(cudaStreamSynchronize(S));
  MUST(cudaMemset(InGraph.C, 0, 64));
  MUST(cudaDeviceSynchronize());
  int Status = 0;
  Graph G(S, [&] { Status = InGraph(S); });
  Outcome O{"", "no graph", "the end of the capture returned " + text(G.End)};
  if (!G.End) {
    cudaGraphNode_t Nodes[32];
    size_t Count = 32;
    MUST(cudaGraphGetNodes(G.Captured, Nodes, &Count));
    int Allocations = 0;
    for (size_t I = 0; I < Count; ++I) {
      cudaGraphNodeType Type;
      MUST(cudaGraphNodeGetType(Nodes[I], &Type));
      Allocations += Type == cudaGraphNodeTypeMemAlloc;
    }
    G.replay();
    O.Replay = text(sum(InGraph.C, 16));
    O.Note = "nodes in the graph: " + text(Count) +
             ", that allocate: " + text(Allocations);
  }
  MUST(Eager(S));
  O.Eager = text(sum(Eager.C, 16));
  if (Status)
    O.Status = cublasGetStatusName(static_cast<cublasStatus_t>(Status)) +
               (" (" + std::to_string(Status) + ")");
  return O;
}
static Outcome cublasCreated(cudaStream_t S) { return cublas(S, false, false); }
static Outcome cublasFirst(cudaStream_t S) { return cublas(S, true, false); }
static Outcome cublasCured(cudaStream_t S) { return cublas(S, true, true); }

int main(int Count, char **Args) {
  const Variant Variants[] = {{"malloc-global", mallocGlobal},
                              {"malloc-global-cured", mallocGlobalCured},
                              {"malloc-relaxed", mallocRelaxed},
                              {"malloc-relaxed-cured", mallocRelaxedCured},
                              {"second-graph", secondGraph},
                              {"second-graph-cured", secondGraphCured},
                              {"cublas-create", cublasCreated},
                              {"cublas-first-gemm-legal", cublasFirst},
                              {"cublas-create-cured", cublasCured}};
  return runVariants("cudagraph-missing-warmup", Variants, Count, Args);
}
