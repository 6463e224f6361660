// Lambdas, and the deleters of smart pointers.

// RUN: %check %s cudagraph-pinned-allocation
// RUN: %if gxx %{ %check %s cudagraph-pinned-allocation --real-std %}

#include <memory>

struct HostDelete {
  void operator()(float *p) const {
    cudaFreeHost(p);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFreeHost' frees pinned host memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  }
};

void capture(float *d, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  auto make = [n] {
    float *p;
    cudaMallocHost(&p, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMallocHost' allocates pinned host memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
    return p;
  };
  float *before = make();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    HostDelete release;
    float *p = make();
    cudaMemcpyAsync(d, p, n, cudaMemcpyHostToDevice, s);
    release(p);
  }
  cudaStreamEndCapture(s, &graph);
  HostDelete()(before);
}
