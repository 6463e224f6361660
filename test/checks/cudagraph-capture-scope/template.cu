// Templates, as instantiated.

// RUN: %check %s cudagraph-capture-scope

__global__ void k(float *x);

template <bool Skip> int capture(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if constexpr (Skip) {
    if (n == 0)
      return 0;
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  }
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  return n;
}
template <bool Skip> int never_used(int n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (n == 0)
    return 0;
  cudaStreamEndCapture(s, g);
  return n;
}

template <class Body> void record(cudaStream_t s, cudaGraph_t *g, Body body) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  body(s);
  cudaStreamEndCapture(s, g);
}

void use(float *x, int n, cudaStream_t s, cudaGraphExec_t exec, cudaGraph_t *g) {
  capture<false>(x, n, s, g);
  capture<true>(x, n, s, g);
  record(s, g, [=](cudaStream_t t) { k<<<1, 1, 0, t>>>(x); });
  record(s, g, [=](cudaStream_t t) { cudaGraphLaunch(exec, t); });
  // CHECK-MESSAGES: :[[@LINE-1]]:38: warning: 'cudaGraphLaunch' launches a graph on stream 't', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
}
