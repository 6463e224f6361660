// Lambdas that begin and end captures.

// RUN: %check %s cudagraph-capture-scope

#include <functional>

__global__ void k(float *x);

void good(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  auto begin = [&] { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); };
  auto end = [&] { cudaStreamEndCapture(s, g); };
  begin();
  [&] {
    if (n == 0)
      return;
    k<<<1, 1, 0, s>>>(x);
  }();
  end();
}

void begun_twice(cudaStream_t s, cudaGraph_t *g) {
  auto begin = [&] { return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); };
  begin();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on stream 's', which is capturing; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
  cudaStreamEndCapture(s, g);
}

void early(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  auto capture = [&](int i) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (i == 0)
      return false;
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
    k<<<1, 1, 0, s>>>(x);
    cudaStreamEndCapture(s, g);
    return true;
  };
  capture(n);
}

void launched(cudaStream_t s, cudaGraphExec_t exec, cudaGraph_t *g) {
  std::function<void()> launch = [=] { cudaGraphLaunch(exec, s); };
  // CHECK-MESSAGES: :[[@LINE-1]]:40: warning: 'cudaGraphLaunch' launches a graph on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch();
  cudaStreamEndCapture(s, g);
}
