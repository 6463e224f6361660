// A function keeps the first error of all calls, and the program tests that error later.

// RUN: %check %s cudagraph-capture-scope

__global__ void kernel(float *x);

class Recorder {
public:
  explicit Recorder(float *x) : x(x) {
    keep(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  }

  // The test concerns only the call that begins the capture.
  cudaError_t after_begin() {
    if (first != cudaSuccess)
      return first;
    keep(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    if (first != cudaSuccess)
      return first;
    kernel<<<1, 1, 0, s>>>(x);
    return finish();
  }
  // The same, with a flag.
  bool with_flag() {
    check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    if (!ok)
      return false;
    kernel<<<1, 1, 0, s>>>(x);
    return finish() == cudaSuccess;
  }
  // The program tests all calls after the end of the capture.
  cudaError_t at_end() {
    keep(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    keep(cudaMemsetAsync(x, 0, 4, s));
    kernel<<<1, 1, 0, s>>>(x);
    return finish();
  }
  // The copy may also have failed.
  cudaError_t after_copy() {
    keep(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    keep(cudaMemsetAsync(x, 0, 4, s));
    if (first != cudaSuccess)
      return first;
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's' (non-blocking, thread-local mode) capturing
    kernel<<<1, 1, 0, s>>>(x);
    return finish();
  }
  cudaError_t after_both() {
    keep(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    if (first != cudaSuccess)
      return first;
    keep(cudaMemsetAsync(x, 0, 4, s));
    if (first != cudaSuccess)
      return first;
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's' (non-blocking, thread-local mode) capturing
    kernel<<<1, 1, 0, s>>>(x);
    return finish();
  }

private:
  void keep(cudaError_t e) {
    if (e != cudaSuccess && first == cudaSuccess)
      first = e;
  }
  void check(cudaError_t e) {
    if (e != cudaSuccess)
      ok = false;
  }
  cudaError_t finish() {
    cudaGraph_t graph = nullptr;
    keep(cudaStreamEndCapture(s, &graph));
    if (first == cudaSuccess)
      keep(cudaGraphInstantiate(&exec, graph, 0));
    if (graph)
      keep(cudaGraphDestroy(graph));
    return first;
  }
  cudaStream_t s = nullptr;
  cudaGraphExec_t exec = nullptr;
  float *x;
  cudaError_t first = cudaSuccess;
  bool ok = true;
};

void run(float *x) {
  Recorder a(x), b(x), c(x), d(x), e(x);
  a.after_begin();
  b.with_flag();
  c.at_end();
  d.after_copy();
  e.after_both();
}
