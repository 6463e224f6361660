// RUN: %check %s cudagraph-device-allocation --real-std
// RUN: %check %s cudagraph-device-allocation --real-std --suffix=OTHER -- -DBEFORE=Table
// RUN: %check %s cudagraph-device-allocation --real-std --suffix=SAME -- -DBEFORE=Scratch
// RUN: %check %s cudagraph-device-allocation --real-std --suffix=NUMBER -- -DNUMBERS
// RUN: %check %s cudagraph-device-allocation --real-std --suffix=ONE -- -DNUMBERS -DBEFORE=1
// RUN: %check %s cudagraph-device-allocation --real-std --suffix=TWO -- -DNUMBERS -DBEFORE=2

// A pool allocates memory on first use of a name. A call with a different name
// before the capture does not allocate the memory that captured code needs.
// (SAME, TWO: the call before the capture passes the same name.)

#include "cuda_runtime.h"
#include <string>
#include <unordered_map>

#ifdef NUMBERS
using Key = int;
#define Scratch 2
#else
using Key = std::string;
#define Scratch "scratch"
#define Table "table"
#endif

__global__ void blur(float *P) { P[threadIdx.x] = 0; }

class Pool {
public:
  float *acquire(const Key &Name, size_t Count) {
    Entry &E = Entries[Name];
    if (E.Capacity < Count) {
      float *Grown = nullptr;
      if (cudaMalloc(&Grown, Count * sizeof(float)) != cudaSuccess) {
      // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaMalloc' allocates device memory while 'S' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode
      // CHECK-MESSAGES-OTHER: :[[@LINE-2]]:11: warning: 'cudaMalloc' allocates device memory while 'S' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode
      // CHECK-MESSAGES-NUMBER: :[[@LINE-3]]:11: warning: 'cudaMalloc' allocates device memory while 'S' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode
      // CHECK-MESSAGES-ONE: :[[@LINE-4]]:11: warning: 'cudaMalloc' allocates device memory while 'S' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode
        return nullptr;
      }
      E = {Grown, Count};
    }
    return E.Memory;
  }

private:
  struct Entry {
    float *Memory = nullptr;
    size_t Capacity = 0;
  };
  std::unordered_map<Key, Entry> Entries;
};

struct Renderer {
  Pool Buffers;
  cudaStream_t S = nullptr;
  cudaGraphExec_t Exec = nullptr;

  Renderer() { cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking); }
  bool build() {
    cudaGraph_t G = nullptr;
    if (cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal) != cudaSuccess)
      return false;
    float *P = Buffers.acquire(Scratch, 256);
    if (P)
      blur<<<1, 256, 0, S>>>(P);
    return cudaStreamEndCapture(S, &G) == cudaSuccess &&
           cudaGraphInstantiate(&Exec, G, 0) == cudaSuccess;
  }
};

int main() {
  Renderer R;
#ifdef BEFORE
  R.Buffers.acquire(BEFORE, 256);
#endif
  R.build();
}
