// A return hidden in a macro handles a failure; an explicit return does not.

// RUN: %check %s cudagraph-capture-scope

__global__ void k(float *x);

#define TRY(call)                                                              \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess)                                                 \
      return status;                                                           \
  } while (0)
#define BEGIN(s) TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
#define END(s, g) TRY(cudaStreamEndCapture(s, g))

cudaError_t failures(float *x, cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  TRY(cudaMemsetAsync(x, 0, 4, s));
  END(s, g);
  return cudaSuccess;
}

cudaError_t early(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  if (n == 0)
    return cudaSuccess;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  TRY(cudaMemsetAsync(x, 0, n, s));
  END(s, g);
  return cudaSuccess;
}

cudaError_t twice(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  BEGIN(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on stream 's', which is capturing; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
  END(s, g);
  return cudaSuccess;
}

cudaError_t launched(cudaStream_t s, cudaGraphExec_t exec, cudaGraph_t *g) {
  BEGIN(s);
  TRY(cudaGraphLaunch(exec, s));
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaGraphLaunch' launches a graph on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
  END(s, g);
  return cudaSuccess;
}
