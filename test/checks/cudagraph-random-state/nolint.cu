// NOLINT at the launch, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-random-state

#include <cstdlib>

__global__ void noise(float *x, unsigned seed);

static void launches(float *x, cudaStream_t s) {
  unsigned seed = (unsigned)rand();
  noise<<<1, 32, 0, s>>>(x, seed); // NOLINT
  noise<<<1, 32, 0, s>>>(x, seed); // NOLINT(cudagraph-random-state)
  // NOLINTNEXTLINE(cudagraph-random-state)
  noise<<<1, 32, 0, s>>>(x, seed);
  // NOLINTBEGIN(cudagraph-*)
  noise<<<1, 32, 0, s>>>(x, seed);
  // NOLINTEND(cudagraph-*)
  noise<<<1, 32, 0, s>>>(x, seed); // NOLINT(cudagraph-host-logic)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: a number drawn on the host is an argument of 'noise', which keeps it; every replay will use the same random numbers [cudagraph-random-state]
}

static void quiet(float *x, cudaStream_t s) {
  noise<<<1, 32, 0, s>>>(x, (unsigned)rand());
}

static void step(float *x, cudaStream_t s) {
  quiet(x, s); // NOLINT(cudagraph-random-state)
}

void capture(float *x, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launches(x, s);
  step(x, s);
  cudaStreamEndCapture(s, graph);
}
