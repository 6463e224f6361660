// Refused calls that do not end the capture: the work is missing from the
// graph, and code that ignores the result does not notice.

// RUN: %check %s cudagraph-ignored-result

__global__ void k(float *x);

// Batches of copies are not nodes; the capture continues.
void batch(float *x, void **dst, const void **src, size_t *sizes, size_t *index,
           cudaMemcpyAttributes *attributes, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaMemcpyBatchAsync(dst, src, sizes, 2, attributes, index, 1, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the result of 'cudaMemcpyBatchAsync' is ignored; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

// Memory from before the capture cannot be freed in it.
void freed(float *x, cudaStream_t s, cudaGraph_t *g) {
  void *mine;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMallocAsync(&mine, 4, s);
  cudaFreeAsync(mine, s);
  cudaFreeAsync(x, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  cudaStreamEndCapture(s, g);
}
void allocated_before(cudaStream_t s, cudaGraph_t *g) {
  void *p;
  cudaMallocAsync(&p, 4, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaFreeAsync(p, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  cudaStreamEndCapture(s, g);
}

// The same on a forked stream.
void on_a_fork(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
               cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, side>>>(x);
  cudaFreeAsync(x, side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  cudaEventRecord(e, side);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamEndCapture(s, g);
}
