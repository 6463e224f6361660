// Memory that is taken out of a pool belongs to the graph; the next call takes
// different memory.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <deque>
#include <vector>

__global__ void apply(float *p, int n);

struct Pool {
  std::vector<float *> Free;
  float *Slots[8];
  int Top = 8;
  float *Base;
  size_t Used = 0;
  float *take() {
    float *P = Free.back();
    Free.pop_back();
    return P;
  }
  void give(float *P) { Free.push_back(P); }
  float *takeSlot() { return Slots[--Top]; }
  void giveSlot(float *P) { Slots[Top++] = P; }
  float *bump(size_t N) {
    float *P = Base + Used;
    Used += N;
    return P;
  }
};

struct Graph {
  Pool &From;
  cudaStream_t S;
  cudaGraphExec_t Exec = nullptr;
  void capture(float *P, int N) {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    apply<<<1, 32, 0, S>>>(P, N);
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&Exec, G, 0);
  }
  void build() { capture(From.take(), 1); }
  void buildSlot() { capture(From.takeSlot(), 2); }
  void buildBump() { capture(From.bump(32), 3); }
  void run() { cudaGraphLaunch(Exec, S); }
};

void pools(Pool &P, cudaStream_t S) {
  Graph A{P, S};
  A.build();
  A.run();
  float *Other = P.take();
  A.run();
  P.give(Other);
  A.run();
}

void slots(Pool &P, cudaStream_t S) {
  Graph B{P, S};
  B.buildSlot();
  B.run();
  float *Other = P.takeSlot();
  B.run();
  P.giveSlot(Other);
  B.run();
}

void arenas(Pool &P, cudaStream_t S) {
  Graph C{P, S};
  C.buildBump();
  C.run();
  apply<<<1, 32, 0, S>>>(P.bump(32), 3);
  C.run();
}

// The call that launches the graph takes a new buffer each time.
struct Frames {
  std::deque<float *> Ready;
  float *next() {
    float *P = Ready.front();
    Ready.pop_front();
    return P;
  }
};

struct Consumer {
  Frames &From;
  cudaStream_t S;
  cudaGraphExec_t Exec = nullptr;
  void process() {
    float *P = From.next();
    if (!Exec) {
      cudaGraph_t G;
      cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
      apply<<<1, 32, 0, S>>>(P, 1);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the address 'P' of kernel 'apply' has a different value when the graph is launched
      cudaStreamEndCapture(S, &G);
      cudaGraphInstantiate(&Exec, G, 0);
    }
    cudaGraphLaunch(Exec, S);
  }
};

void frames(Frames &F, cudaStream_t S) {
  Consumer C{F, S};
  for (int I = 0; I < 4; ++I)
    C.process();
}

// A function rotates the buffers: the graph must use the current first buffer.
struct Rotation {
  std::vector<float *> Buffers;
  cudaStream_t S;
  cudaGraphExec_t Exec = nullptr;
  void rotate() {
    float *P = Buffers.front();
    Buffers.erase(Buffers.begin());
    Buffers.push_back(P);
  }
  void build() {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    apply<<<1, 32, 0, S>>>(Buffers.front(), 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'Buffers.front()' of kernel 'apply' is set by 'Rotation::rotate' while the graph exists
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&Exec, G, 0);
  }
  void run() { cudaGraphLaunch(Exec, S); }
};

void rotations(Rotation &R) {
  R.build();
  R.run();
  R.rotate();
  R.run();
}
