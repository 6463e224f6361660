// RUN: %check %s cudagraph-dangling-memory --real-std
// RUN: %check %s cudagraph-dangling-memory --real-std -- -DRESET
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=CALLABLE -- -DCALLABLE
// RUN: %check %s cudagraph-dangling-memory --real-std -- -DCALLABLE -DRESET
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=LEGAL -- -DAGAIN
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=LEGAL -- -DAGAIN -DRESET -DCALLABLE

// An owner frees memory of the device with its deleter, a function or a
// callable. The graph still uses the memory. (CALLABLE: the deleter is a lambda
// in a std::function; RESET: the owner has received the memory by reset(), so
// its deleter was not named with it; AGAIN: the program captures again.)

#include "cuda_runtime.h"
#include <functional>
#include <memory>

__global__ void step(float *Data) { Data[threadIdx.x] += 1; }

static float *make() {
  float *Data = nullptr;
  return cudaMalloc(&Data, 1024) ? nullptr : Data;
}

#ifdef CALLABLE
using Owner = std::unique_ptr<float, std::function<void(float *)>>;
#else
using Owner = std::unique_ptr<float, cudaError_t (*)(void *)>;
#endif

class Stepper {
public:
#ifdef CALLABLE
  Stepper() : Memory(make(), [](float *Old) { cudaFree(Old); }) {
#else
  Stepper() : Memory(make(), cudaFree) {
#endif
    cudaStreamCreate(&Stream);
#ifdef RESET
    Memory.reset(make());
#endif
  }
  int capture() {
    if (cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal))
      return 1;
    step<<<1, 256, 0, Stream>>>(Memory.get());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'step' uses 'Memory.get()', which 'Stepper::grow' frees; every replay will use freed memory
    // CHECK-MESSAGES-CALLABLE: :[[@LINE-2]]:5: warning: kernel 'step' uses 'Memory.get()', which a lambda in 'Stepper::Stepper' frees; every replay will use freed memory
    return cudaStreamEndCapture(Stream, &Graph) ||
           cudaGraphInstantiate(&Exec, Graph, 0);
  }
  int grow() {
    Memory.reset(make());
#ifdef AGAIN
    return capture();
#else
    return 0;
#endif
  }
  int run() {
    return cudaGraphLaunch(Exec, Stream) || cudaStreamSynchronize(Stream);
  }

private:
  Owner Memory;
  cudaStream_t Stream = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

int main() {
  Stepper S;
  return S.capture() || S.run() || S.grow() || S.run();
}
