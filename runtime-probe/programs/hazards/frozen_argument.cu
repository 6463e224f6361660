//===- frozen_argument.cu - Values that a graph retains -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel arguments and the scalars of cuBLAS are copied into the graph when it
// is captured: replays do not use values that the host sets later. Remedies:
// keep the value in device memory, or use cudaGraphExecKernelNodeSetParams.
//
//===----------------------------------------------------------------------===//

#include "Hazard.h"

#include <cmath>
#include <cublas_v2.h>

__global__ void descend(float *Weight, float Rate) { *Weight -= Rate; }
__global__ void descendBy(float *Weight, const float *Rate) {
  *Weight -= *Rate;
}

/// Each variant makes three steps, eagerly and with a graph.
constexpr int Steps = 3;

class Optimizer {
  float Rate = 1;

public:
  float *Weight = allocate<float>(1);
  float *DeviceRate = allocate<float>(1);
  void setRate(float By) { Rate = By; }
  void step(cudaStream_t S) { descend<<<1, 1, 0, S>>>(Weight, Rate); }
  void upload(cudaStream_t S) {
    MUST(cudaMemcpyAsync(DeviceRate, &Rate, 4, cudaMemcpyHostToDevice, S));
  }
  void stepFromDevice(cudaStream_t S) {
    descendBy<<<1, 1, 0, S>>>(Weight, DeviceRate);
  }
  std::string take() {
    float Is = sum(Weight, 1);
    MUST(cudaMemset(Weight, 0, 4));
    MUST(cudaDeviceSynchronize());
    return text(Is);
  }
};
constexpr float Rates[Steps] = {1, .5, .25};

static Outcome memberRate(cudaStream_t S) {
  Optimizer O;
  for (float Rate : Rates) {
    O.setRate(Rate);
    O.step(S);
  }
  std::string Eager = O.take();
  O.setRate(Rates[0]);
  Graph G(S, [&] { O.step(S); });
  for (float Rate : Rates) {
    O.setRate(Rate);
    G.replay();
  }
  return {Eager, O.take(), "rates 1, 0.5, 0.25; all replays use the first"};
}
static Outcome memberRateCured(cudaStream_t S) {
  Optimizer O;
  for (float Rate : Rates) {
    O.setRate(Rate);
    O.step(S);
  }
  std::string Eager = O.take();
  Graph G(S, [&] { O.stepFromDevice(S); });
  for (float Rate : Rates) {
    O.setRate(Rate);
    O.upload(S); // outside the graph
    G.replay();
  }
  return {Eager, O.take(), "the rate is in device memory"};
}

/// The rate is a parameter of the node, set in the graph or in the executable
/// graph.
static Outcome graphNode(cudaStream_t S, bool InExec) {
  Optimizer O;
  for (float Rate : Rates) {
    O.setRate(Rate);
    O.step(S);
  }
  std::string Eager = O.take();
  O.setRate(Rates[0]);
  Graph G(S, [&] { O.step(S); });
  cudaGraphNode_t Node;
  size_t Nodes = 1;
  MUST(cudaGraphGetNodes(G.Captured, &Node, &Nodes));
  cudaKernelNodeParams Params;
  MUST(cudaGraphKernelNodeGetParams(Node, &Params));
  for (float Rate : Rates) {
    void *Arguments[] = {&O.Weight, &Rate};
    Params.kernelParams = Arguments;
    if (InExec)
      MUST(cudaGraphExecKernelNodeSetParams(G.Exec, Node, &Params));
    else
      MUST(cudaGraphKernelNodeSetParams(Node, &Params));
    G.replay();
  }
  return {Eager, O.take(),
          InExec ? "cudaGraphExecKernelNodeSetParams"
                 : "cudaGraphKernelNodeSetParams; all replays use the first"};
}
static Outcome graphNodeSet(cudaStream_t S) { return graphNode(S, false); }
static Outcome graphNodeCured(cudaStream_t S) { return graphNode(S, true); }

/// The bias correction of Adam, from a counter on the host.
struct Adam {
  float *Weight = allocate<float>(1);
  int Step = 0;
  float correction() const { return 1 / (1 - std::pow(.9f, Step)); }
  void step(cudaStream_t S) { descend<<<1, 1, 0, S>>>(Weight, correction()); }
  std::string runEagerly(cudaStream_t S) {
    for (Step = 1; Step <= Steps; ++Step)
      step(S);
    float Is = sum(Weight, 1);
    MUST(cudaMemset(Weight, 0, 4));
    MUST(cudaDeviceSynchronize());
    return text(Is);
  }
};
static Outcome stepCounter(cudaStream_t S) {
  Adam A;
  std::string Eager = A.runEagerly(S);
  A.Step = 1;
  Graph G(S, [&] { A.step(S); });
  for (; A.Step <= Steps; ++A.Step)
    G.replay();
  return {Eager, text(sum(A.Weight, 1)),
          "all replays use the correction of step 1"};
}
static Outcome stepCounterCured(cudaStream_t S) {
  Adam A;
  std::string Eager = A.runEagerly(S);
  A.Step = 1;
  Graph G(S, [&] { A.step(S); });
  cudaGraphNode_t Node;
  size_t Nodes = 1;
  MUST(cudaGraphGetNodes(G.Captured, &Node, &Nodes));
  cudaKernelNodeParams Params;
  MUST(cudaGraphKernelNodeGetParams(Node, &Params));
  for (; A.Step <= Steps; ++A.Step) {
    float Correction = A.correction();
    void *Arguments[] = {&A.Weight, &Correction};
    Params.kernelParams = Arguments;
    MUST(cudaGraphExecKernelNodeSetParams(G.Exec, Node, &Params));
    G.replay();
  }
  return {Eager, text(sum(A.Weight, 1)), "cudaGraphExecKernelNodeSetParams"};
}

/// C = alpha A B with matrices of ones: each element of C is 4 alpha.
struct Product {
  static constexpr int N = 4;
  cublasHandle_t Handle;
  float *A = allocate<float>(N * N), *B = allocate<float>(N * N);
  float *C = allocate<float>(N * N), *Scalars = allocate<float>(2);
  void *Workspace = allocate<char>(32 << 20);

  explicit Product(cudaStream_t S) {
    std::vector<float> Ones(N * N, 1);
    for (float *To : {A, B})
      MUST(cudaMemcpy(To, Ones.data(), N * N * 4, cudaMemcpyHostToDevice));
    MUST(cudaDeviceSynchronize());
    MUST(cublasCreate(&Handle));
    MUST(cublasSetStream(Handle, S));
    MUST(cublasSetWorkspace(Handle, Workspace, 32 << 20));
    for (auto Mode : {CUBLAS_POINTER_MODE_DEVICE, CUBLAS_POINTER_MODE_HOST}) {
      MUST(cublasSetPointerMode(Handle, Mode));
      const float Zeros[2] = {0, 0};
      const float *At = Mode == CUBLAS_POINTER_MODE_HOST ? Zeros : Scalars;
      multiply(At, At + 1); // warm up
    }
    MUST(cudaStreamSynchronize(S));
  }
  void multiply(const float *Alpha, const float *Beta) {
    MUST(cublasSgemm(Handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, Alpha, A, N, B,
                     N, Beta, C, N));
  }
};
static Outcome cublasAlpha(cudaStream_t S) {
  Product P(S);
  float Alpha = 1, Beta = 0;
  Graph G(S, [&] { P.multiply(&Alpha, &Beta); });
  std::vector<float> Eager, Replay;
  for (int I = 1; I <= Steps; ++I) {
    Alpha = I;
    P.multiply(&Alpha, &Beta);
    Eager.push_back(sum(P.C, 1));
    G.replay();
    Replay.push_back(sum(P.C, 1));
  }
  return {text(Eager), text(Replay), "alpha 1, 2, 3 in host memory"};
}
static Outcome cublasAlphaCured(cudaStream_t S) {
  Product P(S);
  float Alpha = 1, Beta = 0;
  MUST(cublasSetPointerMode(P.Handle, CUBLAS_POINTER_MODE_DEVICE));
  Graph G(S, [&] { P.multiply(P.Scalars, P.Scalars + 1); });
  std::vector<float> Eager, Replay;
  for (int I = 1; I <= Steps; ++I) {
    Alpha = I;
    MUST(cublasSetPointerMode(P.Handle, CUBLAS_POINTER_MODE_HOST));
    P.multiply(&Alpha, &Beta);
    Eager.push_back(sum(P.C, 1));
    MUST(cudaMemcpyAsync(P.Scalars, &Alpha, 4, cudaMemcpyHostToDevice, S));
    G.replay();
    Replay.push_back(sum(P.C, 1));
  }
  return {text(Eager), text(Replay), "alpha in device memory"};
}

int main(int Count, char **Args) {
  const Variant Variants[] = {
      {"member-rate", memberRate},   {"member-rate-cured", memberRateCured},
      {"step-counter", stepCounter}, {"step-counter-cured", stepCounterCured},
      {"graph-node", graphNodeSet},  {"graph-node-cured", graphNodeCured},
      {"cublas-alpha", cublasAlpha}, {"cublas-alpha-cured", cublasAlphaCured}};
  return runVariants("cudagraph-frozen-argument", Variants, Count, Args);
}
