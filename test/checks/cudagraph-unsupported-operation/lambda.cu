// Lambdas: their calls, and a lambda as the callback.

// RUN: %check %s 'cudagraph-unsupported-operation,cudagraph-host-callback'

#include <functional>

void capture(cudaGraphExec_t *exec, cudaGraph_t graph, cudaStream_t s, cudaGraph_t *g) {
  std::function<void(cudaStream_t)> then = [](cudaStream_t t) {
    cudaStreamAddCallback(t, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamAddCallback' adds a callback on stream 't', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-host-callback]
  };
  auto build = [&] {
    cudaGraphInstantiate(exec, graph, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphInstantiate' builds or changes a graph while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  };
  build();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  build();
  then(s);
  cudaStreamEndCapture(s, g);
  then(s);
}
