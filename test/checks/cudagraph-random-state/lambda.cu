// Lambdas that draw or launch.

// RUN: %check %s cudagraph-random-state
// RUN: %if gxx %{ %check %s cudagraph-random-state --real-std %}

#include <cstdlib>
#include <functional>

__global__ void noise(float *x, unsigned seed);

void capture(float *x, cudaStream_t s, cudaGraph_t *graph) {
  auto seed = [] { return (unsigned)rand(); };
  std::function<void(unsigned)> launch = [&](unsigned value) {
    noise<<<1, 32, 0, s>>>(x, value);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: a number drawn on the host is an argument of 'noise', which keeps it; every replay will use the same random numbers [cudagraph-random-state]
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch(seed());
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls the lambda
  cudaStreamEndCapture(s, graph);
}

void constant(float *x, cudaStream_t s, cudaGraph_t *graph) {
  auto seed = [] { return 42u; };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  noise<<<1, 32, 0, s>>>(x, seed());
  cudaStreamEndCapture(s, graph);
}
