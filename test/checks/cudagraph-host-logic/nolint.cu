// NOLINT at the call, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-host-logic

#include <cstdio>

static int counter;

static void log_step() {
  printf("a\n"); // NOLINT
  printf("b\n"); // NOLINT(cudagraph-host-logic)
  // NOLINTNEXTLINE(cudagraph-host-logic)
  printf("c\n");
  // NOLINTBEGIN(cudagraph-*)
  printf("d\n");
  ++counter;
  // NOLINTEND(cudagraph-*)
  ++counter; // NOLINT(cudagraph-host-logic)
  printf("e\n"); // NOLINT(cudagraph-sync-call)
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'printf' writes to the standard output or error stream during the capture of 's' (blocking, global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
}

static void quiet() { printf("f\n"); }

static void step() {
  quiet(); // NOLINT(cudagraph-host-logic)
}

void capture() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  log_step();
  step();
  cudaStreamEndCapture(s, &graph);
}
