// The refused call is several calls away from the start of the thread.

// RUN: %check %s cudagraph-concurrent-work

#include <thread>

__global__ void k(float *x);

static float *grow(float *old, size_t n) {
  float *p;
  cudaFree(old);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  cudaMalloc(&p, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  return p;
}
static void load(float *x) {
  x = grow(x, 64);
  // CHECK-NOTES: :[[@LINE-1]]:7: note: calls 'grow'
}

class Prefetcher {
public:
  explicit Prefetcher(float *x) : thread_([x] { load(x); }) {}
  ~Prefetcher() { thread_.join(); }

private:
  std::thread thread_;
};

void capture(float *x, cudaStream_t s, cudaGraph_t *g) {
  Prefetcher p(x);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (global mode) begins here
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}
void joined(float *x, cudaStream_t s, cudaGraph_t *g) {
  { Prefetcher p(x); }
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}
