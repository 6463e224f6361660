// An argument that a lambda computes depends on what it captures.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include "cuda_runtime.h"

__global__ void sgd(float *w, float rate);

float rateAt(int step, float base) {
  auto decayed = [step](float x) { return x / (1 + step); };
  return decayed(base);
}
float plainRate(float base) {
  auto half = [base] { return base / 2; };
  return half();
}

class Trainer {
public:
  Trainer(cudaStream_t s, float base) : s_(s), base_(base) {}
  void step() {
    if (!exec_) {
      cudaGraph_t g;
      if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal))
        return;
      sgd<<<1, 1, 0, s_>>>(w_, rateAt(step_, base_));
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rateAt(step_, base_)' of kernel 'sgd' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
      sgd<<<1, 1, 0, s_>>>(w_, plainRate(base_)); // legal: base_ is constant
      if (cudaStreamEndCapture(s_, &g))
        return;
      if (cudaGraphInstantiate(&exec_, g, 0))
        return;
    }
    if (cudaGraphLaunch(exec_, s_))
      return;
    ++step_;
  }

private:
  cudaStream_t s_;
  float base_;
  float *w_ = nullptr;
  int step_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
