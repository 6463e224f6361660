// Before each launch, a loop copies another element of a table to the variable
// that captured code has read.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <cmath>
#include <vector>

__global__ void k(float *p, float c);

struct Coefficients {
  std::vector<float> first;
};
static Coefficients make(int n) {
  Coefficients c;
  float rho = 0.5f;
  for (int i = 0; i < n; ++i)
    c.first.push_back(rho = std::sqrt(rho + n));
  return c;
}

static cudaStream_t s;
static float *p, stepped, kept;
static cudaGraphExec_t record() {
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  k<<<1, 1, 0, s>>>(p, stepped);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'stepped' of kernel 'k' is set by 'main' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
  k<<<1, 1, 0, s>>>(p, kept);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&e, g, 0);
  return e;
}
int main() {
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMalloc(&p, 4);
  Coefficients c = make(50);
  stepped = c.first[1];
  kept = c.first[1];
  cudaGraphExec_t e = record();
  for (int i = 1; i < 50; ++i) {
    stepped = c.first[i];
    kept = c.first[1]; // the same element
    cudaGraphLaunch(e, s);
  }
  cudaStreamSynchronize(s);
}
