// Lambdas that launch.

// RUN: %check %s

#include <functional>

__global__ void kernel(float *x, int n);

void in_place(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  auto launch = [&](int blocks) {
    kernel<<<blocks, 32>>>(x, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' is launched on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  };
  auto launch_on = [=](int blocks, cudaStream_t stream) { kernel<<<blocks, 32, 0, stream>>>(x, n); };
  auto launch_default = [=](int blocks, cudaStream_t stream = nullptr) {
    kernel<<<blocks, 32, 0, stream>>>(x, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' is launched on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  };
  launch(1);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch(2);
  launch_on(2, s);
  launch_default(2, s);
  launch_default(4);
  cudaStreamEndCapture(s, &graph);
  launch(3);
}

template <class F> cudaGraph_t graph_of(cudaStream_t s, F f) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f(s);
  cudaStreamEndCapture(s, &graph);
  return graph;
}

struct Solver {
  cudaStream_t stream;
  float *x;
  int n;
  void step() { kernel<<<n, 32, 0, stream>>>(x, n); }
  void step_wrong() {
    kernel<<<4, 32>>>(x, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' is launched on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-default-stream]
  }
  void build() {
    graph_of(stream, [this](cudaStream_t) { step(); });
    graph_of(stream, [this](cudaStream_t) { step_wrong(); });
    graph_of(stream, [&, m = n](cudaStream_t t) { kernel<<<m, 32, 0, t>>>(x, m); });
  }
};
