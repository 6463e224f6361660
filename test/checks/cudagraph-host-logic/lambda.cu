// Lambdas that write, by reference, to variables that may outlive the region.

// RUN: %check %s cudagraph-host-logic

#include <cstdio>
#include <functional>
#include <vector>

__global__ void kernel(float *x, int n);

static int global_counter;

template <class F> cudaGraph_t graph_of(cudaStream_t s, F &&f) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f();
  cudaStreamEndCapture(s, &graph);
  return graph;
}

void user(cudaStream_t s, float *x) {
  int launches = 0;
  graph_of(s, [&] {
    kernel<<<1, 32, 0, s>>>(x, 1);
    ++launches;
  });
  graph_of(s, [&] {
    kernel<<<1, 32, 0, s>>>(x, 1);
    ++global_counter;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'global_counter' changes during the capture of 's' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    printf("launched\n");
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'printf' writes to the standard output or error stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  });
  auto report = [&] { printf("%d launches\n", launches); };
  graph_of(s, [&] { kernel<<<1, 32, 0, s>>>(x, launches); });
  report();
}
