// RUN: %check %s cudagraph-dangling-memory --real-std
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=MARK -- -DMARK
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=LATER -- -DLATER
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=AGAIN -- -DAGAIN

// A graph reads memory of an arena that is reset, or whose cursor moves back to
// a mark before that memory (MARK), so that the next caller takes it. (LATER:
// the mark is behind the memory. AGAIN: after the reset, the same calls take
// the same ranges before each launch.)

#include "cuda_runtime.h"
#include <stdexcept>

__global__ void add(const float *From, float *To) {
  To[threadIdx.x] += From[threadIdx.x];
}

class Arena {
public:
  explicit Arena(size_t Bytes) : Size(Bytes) { cudaMalloc(&Base, Bytes); }
  ~Arena() { cudaFree(Base); }
  float *take(size_t Count) {
    size_t Bytes = (Count * sizeof(float) + 255) & ~size_t(255);
    if (Used + Bytes > Size)
      throw std::runtime_error("the arena is full");
    auto *Block = reinterpret_cast<float *>(Base + Used);
    Used += Bytes;
    return Block;
  }
  size_t mark() const { return Used; }
  void rewind(size_t To) { Used = To; }
  void reset() { Used = 0; }

private:
  char *Base = nullptr;
  size_t Size, Used = 0;
};

class Adder {
public:
  explicit Adder(Arena &A) : From(A) {
    cudaStreamCreate(&S);
    cudaMalloc(&Sum, 1024);
  }
  void step(const float *Host, int Count) {
#ifdef AGAIN
    From.reset();
    float *In = From.take(Count);
    if (!Exec)
      capture(In);
#else
    if (!Exec) {
      size_t Mark = From.mark();
      float *In = From.take(Count);
      cudaMemcpy(In, Host, Count * sizeof(float), cudaMemcpyHostToDevice);
#ifdef LATER
      Mark = From.mark();
#endif
      capture(In);
#if defined(MARK) || defined(LATER)
      From.rewind(Mark);
#else
      From.reset();
#endif
    }
    float *In = From.take(Count);
#endif
    cudaMemcpyAsync(In, Host, Count * sizeof(float), cudaMemcpyHostToDevice, S);
    cudaGraphLaunch(Exec, S);
    cudaStreamSynchronize(S);
  }

private:
  void capture(const float *In) {
    cudaGraph_t Graph;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    add<<<1, 32, 0, S>>>(In, Sum);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'add' uses 'In', which 'Arena::reset' returns to a pool; every replay will use it, although it may have another user
    // CHECK-MESSAGES-MARK: :[[@LINE-2]]:5: warning: kernel 'add' uses 'In', which 'Arena::rewind' returns to a pool; every replay will use it, although it may have another user
    cudaStreamEndCapture(S, &Graph);
    cudaGraphInstantiate(&Exec, Graph, 0);
    cudaGraphDestroy(Graph);
  }

  Arena &From;
  cudaStream_t S = nullptr;
  float *Sum = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

int main(int Count, char **) {
  Arena A(1 << 20);
  Adder Each(A);
  float Host[32] = {};
  for (int I = 0; I < 4; ++I)
    Each.step(Host, Count);
}
