// On its first call, the capturing function runs the same work without a
// capture, and so initializes static variables.

// RUN: %check %s cudagraph-device-allocation,cudagraph-sync-call --real-std

#include <cuda_runtime.h>
#include <map>

__global__ void kernel(const int *table, int *x);

static int *upload() {
  int *P = nullptr;
  cudaMalloc(&P, 32);
  return P;
}
static const int *table() {
  static int *T = upload();
  return T;
}

static void work(cudaStream_t S, int *X) { kernel<<<1, 1, 0, S>>>(table(), X); }

static int *uploadLate() {
  int *P = nullptr;
  cudaMalloc(&P, 32);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 'S'
  return P;
}
static const int *lateTable() {
  static int *T = uploadLate();
  return T;
}
static void lateWork(cudaStream_t S, int *X) {
  kernel<<<1, 1, 0, S>>>(lateTable(), X);
}

struct Context {
  std::map<int, int> Visits;
  std::map<int, cudaGraphExec_t> Graphs;

  void warmed(cudaStream_t S, int *X, int Width) {
    auto It = Graphs.find(Width);
    if (It == Graphs.end()) {
      if (Visits[Width]++ == 0)
        return work(S, X);
      cudaGraph_t G;
      cudaGraphExec_t E;
      cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
      work(S, X);
      cudaStreamEndCapture(S, &G);
      cudaGraphInstantiate(&E, G, 0);
      It = Graphs.emplace(Width, E).first;
    }
    cudaGraphLaunch(It->second, S);
  }

  void cold(cudaStream_t S, int *X, int Width) {
    auto It = Graphs.find(Width);
    if (It == Graphs.end()) {
      cudaGraph_t G;
      cudaGraphExec_t E;
      cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
      lateWork(S, X);
      cudaStreamEndCapture(S, &G);
      cudaGraphInstantiate(&E, G, 0);
      It = Graphs.emplace(Width, E).first;
    }
    cudaGraphLaunch(It->second, S);
  }
};
