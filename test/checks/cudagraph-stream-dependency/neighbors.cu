// RUN: %check %s cudagraph-stream-dependency --real-std
// RUN: %check %s cudagraph-stream-dependency --real-std --suffix=PART -- -DPART
// RUN: %check %s cudagraph-stream-dependency --real-std --suffix=AFTER -- -DAFTER
// RUN: %check %s cudagraph-stream-dependency --real-std --suffix=AFTER -- -DAFTER -DPART
// RUN: %check %s cudagraph-stream-dependency --real-std --suffix=FEWER -- -DPART -DFEWER

// Each domain has a stream, and reads the edge of its neighbor through a
// variable that is null for the first domain. The event that it waits for is
// recorded before the neighbor writes. (PART: it reads an element behind the
// first one, which another thread writes; AFTER: the event is recorded after
// the neighbor writes; FEWER: the neighbor writes only the first element.)

#include "cuda_runtime.h"
#include <array>

constexpr int NumDomains = 3;

__global__ void pack(const float *From, float *Edges, int Count) {
  if (threadIdx.x < Count)
    Edges[threadIdx.x] = From[threadIdx.x];
}
#ifdef FEWER
constexpr int NumEdges = 1;
#else
constexpr int NumEdges = 2;
#endif
__global__ void advance(const float *From, float *To, const float *Left) {
  To[threadIdx.x] = From[threadIdx.x] + (Left ? *Left : 0);
}

struct Domain {
  float *Now = nullptr, *Next = nullptr, *Edges = nullptr;
  cudaStream_t Stream = nullptr;
  cudaEvent_t Packed = nullptr, Done = nullptr;
};

class Solver {
public:
  Solver() {
    for (int I = 0; I < NumDomains; ++I) {
      Domain &X = Domains[I];
      cudaMalloc(&X.Now, 1024);
      cudaMalloc(&X.Next, 1024);
      cudaMalloc(&X.Edges, 1024);
      cudaStreamCreateWithFlags(&X.Stream, cudaStreamNonBlocking);
      cudaEventCreate(&X.Packed);
      cudaEventCreate(&X.Done);
    }
    cudaEventCreate(&Begun);
  }
  int capture() {
    cudaStream_t Lead = Domains[0].Stream;
    cudaGraph_t Graph;
    if (cudaStreamBeginCapture(Lead, cudaStreamCaptureModeGlobal))
      return 1;
    cudaEventRecord(Begun, Lead);
    for (int I = 1; I < NumDomains; ++I)
      cudaStreamWaitEvent(Domains[I].Stream, Begun, 0);
    for (Domain &X : Domains) {
#ifndef AFTER
      cudaEventRecord(X.Packed, X.Stream);
#endif
      pack<<<1, 32, 0, X.Stream>>>(X.Now, X.Edges, NumEdges);
#ifdef AFTER
      cudaEventRecord(X.Packed, X.Stream);
#endif
    }
    for (int I = 0; I < NumDomains; ++I) {
      Domain &X = Domains[I];
      const float *Left = nullptr;
      if (I > 0) {
        cudaStreamWaitEvent(X.Stream, Domains[I - 1].Packed, 0);
#ifdef PART
        Left = Domains[I - 1].Edges + 1;
#else
        Left = Domains[I - 1].Edges;
#endif
      }
      advance<<<1, 32, 0, X.Stream>>>(X.Now, X.Next, Left);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: kernel 'advance' reads 'Left', which kernel 'pack' writes on another stream, without waiting for it; CUDA returns success, and replays may run both at the same time
      // CHECK-MESSAGES-PART: :[[@LINE-2]]:7: warning: kernel 'advance' reads 'Left', which kernel 'pack' writes on another stream, without waiting for it; CUDA returns success, and replays may run both at the same time
      cudaEventRecord(X.Done, X.Stream);
    }
    for (int I = 1; I < NumDomains; ++I)
      cudaStreamWaitEvent(Lead, Domains[I].Done, 0);
    if (cudaStreamEndCapture(Lead, &Graph))
      return 1;
    return cudaGraphInstantiate(&Exec, Graph, 0);
  }
  int run() { return cudaGraphLaunch(Exec, Domains[0].Stream); }

private:
  std::array<Domain, NumDomains> Domains;
  cudaEvent_t Begun = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

int main() {
  Solver S;
  if (S.capture())
    return 1;
  return S.run() || S.run();
}
