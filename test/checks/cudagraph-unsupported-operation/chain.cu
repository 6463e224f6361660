// A graph created on first use, inside another capture.

// RUN: %check %s cudagraph-unsupported-operation

__global__ void k(float *x);

class Inner {
public:
  void run(float *x, cudaStream_t s) {
    if (!exec_)
      build(x);
      // CHECK-NOTES: :[[@LINE-1]]:7: note: calls 'Inner::build'
    k<<<1, 1, 0, s>>>(x);
  }

private:
  void build(float *x) {
    cudaGraphCreate(&graph_, 0);
    cudaGraphInstantiate(&exec_, graph_, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphInstantiate' builds or changes a graph while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  }
  cudaGraph_t graph_;
  cudaGraphExec_t exec_ = nullptr;
};
static void encode(Inner &inner, float *x, cudaStream_t s) {
  inner.run(x, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'Inner::run'
}
void capture(Inner &inner, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (global mode) begins here
  encode(inner, x, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'encode'
  cudaStreamEndCapture(s, g);
}
