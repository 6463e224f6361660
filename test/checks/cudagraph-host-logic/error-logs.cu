// A function that only writes messages: before an early return, it reports an
// error.

// RUN: %check %s cudagraph-host-logic --real-std

#include <cstdarg>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void filter(float *x, int window) { *x = window; }

static void warn(const char *Format, ...) {
  va_list Args;
  va_start(Args, Format);
  fputs("[warning] ", stdout);
  vprintf(Format, Args);
  fputc('\n', stdout);
  va_end(Args);
}

static void trace(const char *Format, ...) {
  va_list Args;
  va_start(Args, Format);
  vprintf(Format, Args);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'vprintf' writes to the standard output or error stream during the capture of 'S'
  va_end(Args);
}

// Legal: the capture is given up.
static bool enqueue(float *X, int Window, cudaStream_t S) {
  if (Window < 1 || Window % 2 == 0) {
    warn("unusable window %d", Window);
    return false;
  }
  filter<<<1, 1, 0, S>>>(X, Window);
  return true;
}

static bool enqueueTraced(float *X, int Window, cudaStream_t S) {
  filter<<<1, 1, 0, S>>>(X, Window);
  trace("window %d", Window);
  return true;
}

bool record(float *X, int Window, cudaStream_t S, cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  bool Complete = enqueue(X, Window, S);
  bool Ended = cudaStreamEndCapture(S, G) == cudaSuccess;
  return Complete && Ended;
}

bool recordTraced(float *X, int Window, cudaStream_t S, cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  bool Complete = enqueueTraced(X, Window, S);
  bool Ended = cudaStreamEndCapture(S, G) == cudaSuccess;
  return Complete && Ended;
}
