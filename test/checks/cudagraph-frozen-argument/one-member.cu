// RUN: %check %s cudagraph-frozen-argument
// RUN: %check %s cudagraph-frozen-argument --suffix=MOVES -- -DMOVES

// A kernel receives the address of a buffer in an object that is passed by
// reference. The program changes only another member of that object. (MOVES:
// it replaces the buffer.)

#include "cuda_runtime.h"

__global__ void scale(float *P, const float *Factor) { *P *= *Factor; }

struct Buffer {
  Buffer() { cudaMalloc(&Data, 64); }
  float *data() const { return Data; }
  float *Data = nullptr;
};

struct Scalar {
  const float *device() const { return Value.data(); }
  int Slots = 2, Used = 0;
  Buffer Value;
};

struct Progress {
  Scalar Relaxation;
  int Done = 0;
};

struct Solver {
  cudaStream_t S = nullptr;
  cudaGraphExec_t Exec = nullptr;
  float *Image = nullptr, *Other = nullptr;
  Progress State;

  Solver() {
    cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking);
    cudaMalloc(&Image, 64);
    cudaMalloc(&Other, 64);
  }
  void enqueue(const Progress &P) {
    scale<<<1, 1, 0, S>>>(Image, P.Relaxation.device());
  // CHECK-MESSAGES-MOVES: :[[@LINE-1]]:5: warning: the address 'P.Relaxation.device()' of kernel 'scale' is set by 'Solver::step' while the graph exists; every replay will use the value from the capture
  }
  void record() {
    cudaGraph_t G = nullptr;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    enqueue(State);
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&Exec, G, 0);
    cudaGraphDestroy(G);
  }
  void step() {
    if (!Exec)
      record();
    cudaGraphLaunch(Exec, S);
    ++State.Done;
#ifdef MOVES
    float *Old = State.Relaxation.Value.Data;
    State.Relaxation.Value.Data = Other;
    Other = Old;
#endif
  }
};

int main() {
  Solver Each;
  for (int I = 0; I < 5; ++I)
    Each.step();
}
