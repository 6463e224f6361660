// A call that throws between the begin call and the end call leaves the capture
// open if the exception is caught and nothing ends the capture.

// RUN: %check %s --real-std

#include <stdexcept>
__global__ void k(float *x);
void validate(int n) {
  if (n < 0)
    throw std::runtime_error("negative");
}
bool caught(cudaStream_t s, float *x, int n, cudaGraph_t *g) {
  try {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    validate(n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this call throws, and leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900)
    k<<<1, 1, 0, s>>>(x);
    cudaStreamEndCapture(s, g);
  } catch (const std::exception &) {
    return false;
  }
  return true;
}
bool before(cudaStream_t s, float *x, int n, cudaGraph_t *g) {
  try {
    validate(n);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s>>>(x);
    cudaStreamEndCapture(s, g);
  } catch (const std::exception &) {
    return false;
  }
  return true;
}
bool handler_ends(cudaStream_t s, float *x, int n, cudaGraph_t *g) {
  try {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    validate(n);
    k<<<1, 1, 0, s>>>(x);
    cudaStreamEndCapture(s, g);
  } catch (const std::exception &) {
    cudaStreamEndCapture(s, g);
    return false;
  }
  return true;
}
void caught_within(cudaStream_t s, float *x, int n, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  try {
    validate(n);
  } catch (const std::exception &) {
    n = 0;
  }
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}
void caught_by_caller(cudaStream_t s, float *x, int n, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  validate(n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this call throws, and leaves 's'
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}
int catches(cudaStream_t s, float *x, int n, cudaGraph_t *g) {
  try {
    caught_by_caller(s, x, n, g);
  } catch (const std::exception &) {
    return -1;
  }
  return 0;
}
// No handler is visible: the program ends.
void uncaught(cudaStream_t s, float *x, int n, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  validate(n);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}
struct Scope {
  cudaStream_t s;
  explicit Scope(cudaStream_t s) : s(s) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  ~Scope() {
    cudaGraph_t g;
    cudaStreamEndCapture(s, &g);
  }
};
bool scoped(cudaStream_t s, float *x, int n) {
  try {
    Scope scope(s);
    validate(n);
    k<<<1, 1, 0, s>>>(x);
  } catch (const std::exception &) {
    return false;
  }
  cudaStreamSynchronize(s);
  return true;
}
