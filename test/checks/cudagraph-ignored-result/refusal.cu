// The refusal itself is a finding of another check at the same call, whether or
// not the result is checked.

// RUN: %check %s

__global__ void k(float *x);

#define CHECK(call)                                                            \
  if ((call) != cudaSuccess)                                                   \
  __builtin_trap()

void dropped(float *x, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaFreeAsync(x, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFreeAsync' frees memory on stream 's', which is capturing; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it [cudagraph-device-allocation]
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  CHECK(cudaStreamEndCapture(s, g));
}
void batch(void **dst, const void **src, size_t *sizes, size_t *index,
           cudaMemcpyAttributes *attributes, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaMemcpyBatchAsync(dst, src, sizes, 2, attributes, index, 1, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the result of 'cudaMemcpyBatchAsync' is ignored; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: 'cudaMemcpyBatchAsync' copies memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode, and the capture continues without it [cudagraph-unsupported-operation]
  CHECK(cudaStreamEndCapture(s, g));
}
void looked_at(float *x, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaFreeAsync(x, s));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaFreeAsync' frees memory on stream 's', which is capturing; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it [cudagraph-device-allocation]
  CHECK(cudaStreamEndCapture(s, g));
}
// The end call returns the error of a call that invalidates the capture.
void fatal(float *x, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaMalloc(&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  CHECK(cudaStreamEndCapture(s, g));
}
