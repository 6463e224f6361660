// An early return from a function with nothing to do does not determine the
// contents of the graph; one that skips the capture does.

// RUN: %check %s cudagraph-dynamic-shape

#include <cuda_runtime.h>

__global__ void apply(float *p, int n);

struct Counter {
  cudaStream_t s;
  float *d;
  cudaGraphExec_t x = nullptr;
  int Count = 0;
  void record() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    apply<<<Count, 32, 0, s>>>(d, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'apply' is computed from
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
  }
  float run() {
    if (Count == 0)
      return 0;
    if (!x)
      record();
    cudaGraphLaunch(x, s);
    return 1;
  }
  void add(int n) { Count += n; }
};
void use(Counter &c) {
  for (int i = 0; i < 4; ++i) {
    c.add(10);
    c.run();
  }
}

struct Dirty {
  cudaStream_t s;
  float *d;
  cudaGraphExec_t x = nullptr;
  int Count = 0;
  bool Changed = true;
  void record() {
    cudaGraph_t g;
    if (!Changed)
      return;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    apply<<<Count, 32, 0, s>>>(d, 1);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    Changed = false;
  }
  void run() {
    record();
    cudaGraphLaunch(x, s);
  }
  void set(int n) {
    Count = n;
    Changed = true;
  }
};
void use(Dirty &c) {
  for (int i = 0; i < 4; ++i) {
    c.set(10 * i);
    c.run();
  }
}
