// Calls in macros.

// RUN: %check %s cudagraph-unsupported-operation

#define CHECK(call)                                                            \
  if ((call) != cudaSuccess)                                                   \
  __builtin_trap()
#ifdef NO_PREFETCH
#define PREFETCH(p, n, where, s)
#else
#define PREFETCH(p, n, where, s) CHECK(cudaMemPrefetchAsync(p, n, where, 0, s))
#endif

void capture(float *x, cudaMemLocation where, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  PREFETCH(x, 4, where, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemPrefetchAsync' prefetches memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  CHECK(cudaMemcpyPeerAsync(x, 0, x, 1, 4, s));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaMemcpyPeerAsync' copies memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  CHECK(cudaStreamEndCapture(s, g));
}
