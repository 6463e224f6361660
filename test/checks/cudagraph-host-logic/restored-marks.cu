// RUN: %check %s cudagraph-host-logic --real-std
// RUN: %check %s cudagraph-host-logic --real-std --suffix=LEGAL -- -DRESTORES

// A loop captures in its second iteration. Captured code takes memory from an
// arena, whose cursor then has a different value. (RESTORES: a guard sets the
// cursor to its earlier value, even if the arena is full.)

#include "cuda_runtime.h"

__global__ void step(float *Scratch, float *Data) {
  Data[threadIdx.x] += Scratch[threadIdx.x];
}

struct Arena {
  char *Slab = nullptr;
  size_t Size = 0, Used = 0;
  void *take(size_t Bytes) {
    Bytes = (Bytes + 255) & ~size_t(255);
    if (Used + Bytes > Size)
      return nullptr;
    void *Result = Slab + Used;
    Used += Bytes;
    return Result;
  }
};

struct Scratch {
  Arena &From;
  size_t Mark;
  void *Memory;
  Scratch(Arena &A, size_t Bytes)
      : From(A), Mark(A.Used), Memory(A.take(Bytes)) {}
#ifdef RESTORES
  ~Scratch() { From.Used = Mark; }
#endif
};

struct Context {
  cudaStream_t Stream = nullptr;
  Arena Memory;
  cudaGraphExec_t Exec = nullptr;
  int Visits = 0;
};

static int enqueue(Context &C, float *Data, int Width) {
  Scratch Local(C.Memory, Width * sizeof(float));
  if (!Local.Memory)
    return 1;
  // CHECK-MESSAGES: :[[@LINE-2]]:7: warning: the branch depends on host state that changes between replays during the capture of 'C.Stream' (blocking, thread-local mode); replays repeat the branch taken at capture
  // CHECK-NOTES: :[[@LINE-28]]:5: note: it changes here
  // CHECK-NOTES: :[[@LINE-4]]:7: note: make the decision on the device with a conditional node, or outside the capture
  step<<<1, 32, 0, C.Stream>>>(static_cast<float *>(Local.Memory), Data);
  return 0;
}

static int compute(Context &C, float *Data, int Width) {
  if (!C.Exec) {
    if (C.Visits++ == 0)
      return enqueue(C, Data, Width);
    cudaGraph_t Graph = nullptr;
    if (cudaStreamBeginCapture(C.Stream, cudaStreamCaptureModeThreadLocal))
      return 1;
    int Result = enqueue(C, Data, Width);
    if (cudaStreamEndCapture(C.Stream, &Graph) || Result ||
        cudaGraphInstantiate(&C.Exec, Graph, 0))
      return 1;
  }
  return cudaGraphLaunch(C.Exec, C.Stream);
}

int main() {
  Context C;
  float *Data;
  C.Memory.Size = 1 << 16;
  if (cudaStreamCreate(&C.Stream) || cudaMalloc(&Data, 1024) ||
      cudaMalloc(reinterpret_cast<void **>(&C.Memory.Slab), C.Memory.Size))
    return 1;
  for (int I = 0; I < 4; ++I)
    if (compute(C, Data, 200))
      return 1;
  return cudaStreamSynchronize(C.Stream);
}
