// RUN: %check %s cudagraph-frozen-argument --real-std
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=PLAIN -- -DPLAIN
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=WRAPS -- -DWRAPS
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=RESET -- -DRESET
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=EXCHANGED -- -DEXCHANGED
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=CALLER -- -DRESET -DCALLER

// Random numbers have an offset within one step. Each capture starts with the
// same offset if captured code resets it at the end of the step (RESET,
// EXCHANGED), but not if it only wraps around (WRAPS).

#include "cuda_runtime.h"
#include <cstdint>
#include <utility>

__global__ void mask(float *P, const uint64_t *State, uint64_t Offset) {
  P[threadIdx.x] = static_cast<float>(*State + Offset);
}
__global__ void advance(uint64_t *State, uint64_t Count) { *State += Count; }

class Generator {
public:
  Generator() { cudaMalloc(&State, sizeof(uint64_t)); }
  const uint64_t *state() const { return State; }
#ifdef PLAIN
  uint64_t reserve(uint64_t N) {
    uint64_t Old = Offset;
    Offset += N;
    return Old;
  }
#else
  uint64_t reserve(uint64_t N) { return std::exchange(Offset, Offset + N); }
#endif
  void commit(cudaStream_t S) {
#if defined(RESET)
    advance<<<1, 1, 0, S>>>(State, Offset);
    Offset = 0;
#elif defined(EXCHANGED)
    advance<<<1, 1, 0, S>>>(State, std::exchange(Offset, 0));
#elif defined(WRAPS)
    if (Offset > 4096)
      Offset = 0;
#endif
  }

private:
  uint64_t *State = nullptr;
  uint64_t Offset = 0;
};

class Model {
public:
  Model() { cudaMalloc(&Mask, 64 * sizeof(float)); }
  void forward(cudaStream_t S) {
    uint64_t Offset = Numbers.reserve(64);
    mask<<<1, 64, 0, S>>>(Mask, Numbers.state(), Offset);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'Offset' of kernel 'mask' is computed from host state that changes between replays; replays will use the value from the capture
  // CHECK-MESSAGES-PLAIN: :[[@LINE-2]]:5: warning: argument 'Offset' of kernel 'mask' is computed from host state that changes between replays; replays will use the value from the capture
  // CHECK-MESSAGES-WRAPS: :[[@LINE-3]]:5: warning: argument 'Offset' of kernel 'mask' is computed from host state that changes between replays; replays will use the value from the capture
  }
  void end(cudaStream_t S) { Numbers.commit(S); }

private:
  Generator Numbers;
  float *Mask = nullptr;
};

class Step {
public:
  explicit Step(Model &M) : Net(M) {
    cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking);
  }
  void run() {
    if (!Exec)
      record();
    cudaGraphLaunch(Exec, S);
  }

private:
  void record() {
    cudaGraph_t G = nullptr;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    Net.forward(S);
    Net.end(S);
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&Exec, G, 0);
    cudaGraphDestroy(G);
  }

  Model &Net;
  cudaStream_t S = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

#ifdef CALLER // the constructor of the generator is not visible
void steps(Step &Each) {
  for (int I = 0; I < 4; ++I)
    Each.run();
}
#else
int main() {
  Model M;
  Step Each(M);
  for (int I = 0; I < 4; ++I)
    Each.run();
}
#endif
