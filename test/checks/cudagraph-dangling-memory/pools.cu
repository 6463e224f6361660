// Memory that returns to a pool of the program while a graph uses its contents.

// RUN: %check %s cudagraph-dangling-memory,cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <vector>

__global__ void apply(const float *p, float *out) { *out = *p; }
__global__ void fill(float *p) { *p = 1; }

struct Pool {
  std::vector<float *> Free;
  float *take() {
    float *P = Free.back();
    Free.pop_back();
    return P;
  }
  void give(float *P) { Free.push_back(P); }
};

static cudaGraphExec_t finish(cudaStream_t S) {
  cudaGraph_t G;
  cudaGraphExec_t E;
  cudaStreamEndCapture(S, &G);
  cudaGraphInstantiate(&E, G, 0);
  return E;
}

void launchedLater(Pool &Blocks, cudaStream_t S, float *Out) {
  float *P = Blocks.take();
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'apply' uses 'P', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
  cudaGraphExec_t E = finish(S);
  Blocks.give(P);
  // CHECK-NOTES: :[[@LINE-18]]:25: note: it returns to the pool here
  float *Other = Blocks.take();
  fill<<<1, 1, 0, S>>>(Other);
  cudaGraphLaunch(E, S);
  cudaGraphExecDestroy(E);
}

// A lease that the graph outlives.
struct Lease {
  Pool &From;
  float *P;
  explicit Lease(Pool &From) : From(From), P(From.take()) {}
  ~Lease() { From.give(P); }
};

struct Program {
  Pool &Blocks;
  cudaStream_t S;
  float *Out;
  cudaGraphExec_t Exec = nullptr;
  void build() {
    Lease Table(Blocks);
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    apply<<<1, 1, 0, S>>>(Table.P, Out);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'apply' uses 'Table.P', which 'Pool::give' returns to a pool
    Exec = finish(S);
  }
  void run() { cudaGraphLaunch(Exec, S); }
};

void leases(Pool &Blocks, cudaStream_t S, float *Out) {
  Program P{Blocks, S, Out};
  P.build();
  P.run();
}

// The data of a host function.
struct Record {
  int N = 0;
};
static void count(void *P) { ++static_cast<Record *>(P)->N; }

struct Records {
  std::vector<Record *> Idle;
  Record *take() {
    Record *R = Idle.back();
    Idle.pop_back();
    return R;
  }
};

void hostData(Records &All, cudaStream_t S) {
  Record *R = All.take();
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  cudaLaunchHostFunc(S, count, R);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the host function of 'cudaLaunchHostFunc' uses 'R', which 'hostData' returns to a pool
  All.Idle.push_back(R);
  cudaGraphExec_t E = finish(S);
  cudaGraphLaunch(E, S);
}

// Legal: the memory is returned after the graph is destroyed.
void returnedLast(Pool &Blocks, cudaStream_t S, float *Out) {
  float *P = Blocks.take();
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  cudaGraphExec_t E = finish(S);
  cudaGraphLaunch(E, S);
  cudaGraphExecDestroy(E);
  Blocks.give(P);
}

// Legal: the graph writes to the memory before reading from it.
void scratch(Pool &Blocks, cudaStream_t S, float *Out) {
  float *P = Blocks.take();
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  fill<<<1, 1, 0, S>>>(P);
  apply<<<1, 1, 0, S>>>(P, Out);
  cudaGraphExec_t E = finish(S);
  Blocks.give(P);
  cudaGraphLaunch(E, S);
}

// Legal: different memory returns to the pool.
void otherMemory(Pool &Blocks, cudaStream_t S, float *Out) {
  float *P = Blocks.take();
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  cudaGraphExec_t E = finish(S);
  float *Other = Blocks.take();
  Blocks.give(Other);
  cudaGraphLaunch(E, S);
}

// Legal: nothing takes buffers out of the program's list.
struct Registry {
  std::vector<float *> All;
  void add(float *P) { All.push_back(P); }
};

void listed(Registry &R, float *P, cudaStream_t S, float *Out) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  cudaGraphExec_t E = finish(S);
  R.add(P);
  cudaGraphLaunch(E, S);
}
