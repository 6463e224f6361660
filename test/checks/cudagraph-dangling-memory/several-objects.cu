// Memory that is freed through a pointer to any of several objects is perhaps
// not that of the graph that is launched.

// RUN: %check %s cudagraph-dangling-memory,cudagraph-growing-workspace --real-std

#include <cuda_runtime.h>
#include <vector>

__global__ void use(unsigned *p) { *p = 1; }

struct Lane {
  unsigned *Buffer = nullptr;
};

static cudaGraphExec_t capture(cudaStream_t S, Lane &L) {
  cudaGraph_t G;
  cudaGraphExec_t E;
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  use<<<1, 1, 0, S>>>(L.Buffer);
  cudaStreamEndCapture(S, &G);
  cudaGraphInstantiate(&E, G, 0);
  return E;
}

// Legal: the memory of the other lane.
void other(cudaStream_t S, int Index) {
  Lane A, B;
  std::vector<Lane *> All{&A, &B};
  cudaMalloc(&A.Buffer, 4);
  cudaMalloc(&B.Buffer, 4);
  cudaGraphExec_t E = capture(S, A);
  cudaFree(All[Index]->Buffer);
  cudaGraphLaunch(E, S);
}

static cudaGraphExec_t captureOwn(cudaStream_t S, Lane &L) {
  cudaGraph_t G;
  cudaGraphExec_t E;
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  use<<<1, 1, 0, S>>>(L.Buffer);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'use' uses 'L.Buffer', which 'own' frees
  cudaStreamEndCapture(S, &G);
  cudaGraphInstantiate(&E, G, 0);
  return E;
}

void own(cudaStream_t S) {
  Lane A, B;
  std::vector<Lane *> All{&A, &B};
  cudaMalloc(&A.Buffer, 4);
  cudaMalloc(&B.Buffer, 4);
  cudaGraphExec_t E = captureOwn(S, A);
  cudaFree(A.Buffer);
  A.Buffer = nullptr;
  for (Lane *Each : All)
    cudaFree(Each->Buffer);
  cudaGraphLaunch(E, S);
}

// Each object has its graphs and its buffer.
struct Plan {
  int Size = 0;
  cudaGraphExec_t Exec = nullptr;
};

struct Histogram {
  Histogram() { cudaStreamCreate(&S); }
  void reserve(int N) {
    if (N <= Capacity)
      return;
    unsigned *Fresh;
    cudaMalloc(&Fresh, N * 4);
    for (Plan &Each : Plans)
      cudaGraphExecDestroy(Each.Exec);
    Plans.clear();
    if (Bins)
      cudaFree(Bins);
    Bins = Fresh;
    Capacity = N;
  }
  void compute(int N) {
    reserve(N);
    for (Plan &Each : Plans)
      if (Each.Size == N) {
        cudaGraphLaunch(Each.Exec, S);
        return;
      }
    Plan New;
    New.Size = N;
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    use<<<1, 1, 0, S>>>(Bins);
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&New.Exec, G, 0);
    Plans.push_back(New);
    cudaGraphLaunch(New.Exec, S);
  }
  int Capacity = 0;
  unsigned *Bins = nullptr;
  cudaStream_t S;
  std::vector<Plan> Plans;
};

// Legal: the graphs are destroyed before the memory is freed.
void dropped() {
  Histogram A, B;
  std::vector<Histogram *> Both{&A, &B};
  std::vector<int> Sizes{16, 64, 16};
  for (int N : Sizes)
    for (Histogram *Each : Both)
      Each->compute(N);
}
