// Templates that log or count.

// RUN: %check %s cudagraph-host-logic

#include <cstdio>
#include <utility>

__global__ void kernel(float *x);

template <bool Verbose> void step(cudaStream_t s, float *x) {
  if constexpr (Verbose)
    printf("step\n");
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'printf' writes to the standard output or error stream during the capture of 's' (blocking, global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  kernel<<<1, 32, 0, s>>>(x);
}

template <typename F> auto traced(const char *name, F &&f) {
  printf("enter %s\n", name);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'printf' writes to the standard output or error stream during the capture of 's' (blocking, global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  return std::forward<F>(f)();
}

template <int Level> struct Quiet {
  static void log(const char *text) {
    if (Level > 2)
      printf("%s\n", text);
  }
};

void capture(float *x) {
  cudaStream_t s, t;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  step<true>(s, x);
  Quiet<1>::log("x");
  traced("kernel", [&] { kernel<<<1, 32, 0, s>>>(x); });
  cudaStreamEndCapture(s, &graph);
  cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal);
  step<false>(t, x);
  cudaStreamEndCapture(t, &graph);
  Quiet<3>::log("x");
}
