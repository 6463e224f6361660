// The origin of a default stream is a step of the chain.

// RUN: %check %s cudagraph-default-stream

__global__ void k(float *x);
template <class T>
void launch(T *x, int n,
            cudaStream_t where) {
  k<<<n, 1, 0, where>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream
}
void middle(float *x, cudaStream_t where) { launch(x, 1, where); }
void capture(float *x, cudaStream_t s, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaStream_t none = nullptr;
  // CHECK-NOTES: :[[@LINE-1]]:23: note: the default stream comes from here
  middle(x, none);
  (void)cudaStreamEndCapture(s, g);
}
cudaStream_t defaultStream() { return cudaStreamLegacy; }
// CHECK-NOTES: :[[@LINE-1]]:32: note: the default stream comes from here
void spread(float *x, cudaStream_t s, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaStream_t legacy =
      defaultStream();
  k<<<1, 1, 0, legacy>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream
  (void)cudaStreamEndCapture(s, g);
}

// Legal: the stream is the capturing one.
void legal(float *x, cudaStream_t s, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaStream_t same = s;
  k<<<1, 1, 0, same>>>(x);
  (void)cudaStreamEndCapture(s, g);
}
