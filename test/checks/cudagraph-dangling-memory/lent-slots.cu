// RUN: %check %s cudagraph-dangling-memory --real-std
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=INDEX -- -DINDEX
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=LIST -- -DLIST
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=RANGES -- -DRANGES
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=KEPT -- -DKEPT
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=KEPT -- -DKEPT -DINDEX
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=KEPT -- -DKEPT -DLIST
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=KEPT -- -DKEPT -DRANGES

// A graph reads a slot of a pool that a function marks as unused, so that the
// next caller takes it. The pool is an array with a flag for each slot; an
// allocation whose parts have flags (INDEX); a list of unused slots (LIST); or
// a table of the unused ranges of an allocation (RANGES). (KEPT: the slot is
// returned when the graph is no longer launched.)

#include "cuda_runtime.h"
#include <array>
#include <map>
#include <stdexcept>

__global__ void fill(float *To, float With) { To[threadIdx.x] = With; }
__global__ void add(const float *From, float *To) {
  To[threadIdx.x] += From[threadIdx.x];
}

#if defined(INDEX)
class Pool {
public:
  using Handle = int;
  Pool() { cudaMalloc(&Base, 8 * 1024); }
  ~Pool() { cudaFree(Base); }
  Handle take() {
    for (int I = 0; I < 8; ++I)
      if (!Used[I]) {
        Used[I] = true;
        return I;
      }
    throw std::runtime_error("no slot is unused");
  }
  void give(Handle H) { Used[H] = false; }
  float *at(Handle H) { return Base + H * 256; }

private:
  float *Base = nullptr;
  std::array<bool, 8> Used{};
};
#elif defined(LIST)
class Pool {
public:
  struct Slot {
    float *Data = nullptr;
    Slot *Next = nullptr;
  };
  using Handle = Slot *;
  Pool() {
    for (Slot &Each : Slots) {
      cudaMalloc(&Each.Data, 1024);
      give(&Each);
    }
  }
  ~Pool() {
    for (Slot &Each : Slots)
      cudaFree(Each.Data);
  }
  Handle take() {
    Slot *First = Head;
    if (!First)
      return nullptr;
    Head = First->Next;
    return First;
  }
  void give(Handle H) {
    H->Next = Head;
    Head = H;
  }
  float *at(Handle H) { return H->Data; }

private:
  Slot Slots[8];
  Slot *Head = nullptr;
};
#elif defined(RANGES)
class Pool {
public:
  using Handle = size_t;
  Pool() {
    cudaMalloc(&Base, 8 * 1024);
    Unused[0] = 8 * 1024;
  }
  ~Pool() { cudaFree(Base); }
  Handle take() {
    for (auto It = Unused.begin(); It != Unused.end(); ++It) {
      if (It->second < 1024)
        continue;
      size_t Offset = It->first, Rest = It->second - 1024;
      Unused.erase(It);
      if (Rest)
        Unused[Offset + 1024] = Rest;
      return Offset;
    }
    throw std::runtime_error("no range is unused");
  }
  void give(Handle H) { Unused[H] = 1024; }
  float *at(Handle H) { return reinterpret_cast<float *>(Base + H); }

private:
  char *Base = nullptr;
  std::map<size_t, size_t> Unused;
};
#else
class Pool {
  struct Slot {
    float *Data = nullptr;
    bool Busy = false;
  };

public:
  using Handle = Slot *;
  Pool() {
    for (Slot &Each : Slots)
      cudaMalloc(&Each.Data, 1024);
  }
  ~Pool() {
    for (Slot &Each : Slots)
      cudaFree(Each.Data);
  }
  Handle take() {
    for (Slot &Each : Slots)
      if (!Each.Busy) {
        Each.Busy = true;
        return &Each;
      }
    return nullptr;
  }
  void give(Handle H) { H->Busy = false; }
  float *at(Handle H) { return H->Data; }

private:
  Slot Slots[8];
};
#endif

class Adder {
public:
  explicit Adder(Pool &P) : From(P) {
    cudaStreamCreate(&S);
    cudaMalloc(&Sum, 1024);
  }
  ~Adder() {
    cudaGraphExecDestroy(Exec);
    cudaFree(Sum);
    cudaStreamDestroy(S);
  }
  void capture() {
    Pool::Handle Slot = From.take();
    fill<<<1, 32, 0, S>>>(From.at(Slot), 1);
    cudaGraph_t Graph;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    add<<<1, 32, 0, S>>>(From.at(Slot), Sum);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'add' uses 'From.at(Slot)', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
    // CHECK-MESSAGES-INDEX: :[[@LINE-2]]:5: warning: kernel 'add' uses 'From.at(Slot)', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
    // CHECK-MESSAGES-LIST: :[[@LINE-3]]:5: warning: kernel 'add' uses 'From.at(Slot)', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
    // CHECK-MESSAGES-RANGES: :[[@LINE-4]]:5: warning: kernel 'add' uses 'From.at(Slot)', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
    cudaStreamEndCapture(S, &Graph);
    cudaGraphInstantiate(&Exec, Graph, 0);
    cudaGraphDestroy(Graph);
#ifdef KEPT
    Mine = Slot;
#else
    From.give(Slot);
#endif
  }
  void run() {
    cudaGraphLaunch(Exec, S);
    cudaStreamSynchronize(S);
  }
#ifdef KEPT
  void release() { From.give(Mine); }
#endif
  cudaStream_t stream() const { return S; }

private:
  Pool &From;
#ifdef KEPT
  Pool::Handle Mine;
#endif
  cudaStream_t S = nullptr;
  float *Sum = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

int main() {
  Pool P;
  Adder A(P);
  A.capture();
  A.run();
  Pool::Handle Other = P.take();
  fill<<<1, 32, 0, A.stream()>>>(P.at(Other), 7);
  A.run();
  P.give(Other);
#ifdef KEPT
  A.release();
#endif
}
