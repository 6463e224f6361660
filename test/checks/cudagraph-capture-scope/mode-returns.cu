// A function that exchanges the capture mode of its thread and restores it must
// do so on every path.

// RUN: %check %s cudagraph-capture-scope --roots=function:^allocate

#include <cuda_runtime.h>

#define CHECK(CALL)                                                                                                    \
  do {                                                                                                                 \
    if ((CALL) != cudaSuccess)                                                                                         \
      return false;                                                                                                    \
  } while (0)

bool allocate(float **p, size_t n) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: the mode is exchanged here
  if (cudaMalloc(p, n) != cudaSuccess)
    return false;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves the thread in relaxed mode; other paths of 'allocate' restore the mode, which determines which calls CUDA refuses during later captures [cudagraph-capture-scope]
  // CHECK-NOTES: :[[@LINE-2]]:5: note: exchange the mode again on this path, or in the destructor of an object
  cudaThreadExchangeStreamCaptureMode(&mode);
  return true;
}

bool allocate_or_skip(float **p, size_t n) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  if (n == 0)
    return true;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves the thread in relaxed mode; other paths of 'allocate_or_skip' restore
  CHECK(cudaMalloc(p, n));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this return leaves the thread in relaxed mode
  cudaThreadExchangeStreamCaptureMode(&mode);
  return true;
}

// Legal: the mode is restored on each path, under one flag, by an object, or by
// the caller; or the exchange itself fails.
bool allocate_balanced(float **p, size_t n) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  bool done = false;
  if (cudaMalloc(p, n) != cudaSuccess)
    goto finish;
  done = true;
finish:
  cudaThreadExchangeStreamCaptureMode(&mode);
  return done;
}
bool allocate_if(float **p, size_t n, bool relaxed) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  if (relaxed)
    cudaThreadExchangeStreamCaptureMode(&mode);
  cudaError_t e = cudaMalloc(p, n);
  if (relaxed)
    cudaThreadExchangeStreamCaptureMode(&mode);
  return e == cudaSuccess;
}
class Relaxed {
public:
  Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }

private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};
bool allocate_guarded(float **p, size_t n) {
  Relaxed relaxed;
  CHECK(cudaMalloc(p, n));
  return true;
}
void allocate_mode(cudaStreamCaptureMode *mode) {
  *mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(mode);
}
