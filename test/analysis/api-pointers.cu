// API functions called through pointers.

// RUN: %check %s

void q1(cudaStream_t s, cudaGraph_t *g) {
  auto sync = cudaStreamSynchronize;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  sync(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}waits
  cudaStreamEndCapture(s, g);
  sync(s);
}
void p2(cudaStream_t s, cudaGraph_t *g) {
  cudaError_t (*begin)(cudaStream_t, cudaStreamCaptureMode) = cudaStreamBeginCapture;
  auto end = &cudaStreamEndCapture;
  begin(s, cudaStreamCaptureModeGlobal);
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  end(s, g);
  cudaFree(nullptr);
}
struct Api {
  decltype(&cudaStreamSynchronize) sync;
};
static const Api api = {cudaStreamSynchronize};
void p3(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  api.sync(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}waits
  cudaStreamEndCapture(s, g);
}
template <class F, class... A> void call(F f, A... a) {
  if (f(a...) != cudaSuccess)
    throw 1;
}
void p4(cudaStream_t s, cudaGraph_t *g) {
  call(cudaStreamBeginCapture, s, cudaStreamCaptureModeGlobal);
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  call(cudaStreamEndCapture, s, g);
  call(cudaStreamSynchronize, s);
}
