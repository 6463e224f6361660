// With per-thread default streams, stream 0 is the per-thread stream: nothing
// is refused, and the work is missing from the graph.

// RUN: %check %s cudagraph-default-stream -- -DCUDA_API_PER_THREAD_DEFAULT_STREAM

__global__ void kernel(float *x);

void blocking(float *x, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the per-thread default stream while 's' (blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  kernel<<<1, 32, 0, cudaStreamLegacy>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  cudaMemsetAsync(x, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on the per-thread default stream while 's' (blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaMemsetAsync(x, 0, n, s);
  cudaStreamEndCapture(s, &graph);
}

// The per-thread stream itself captures: stream 0 is that stream.
void captured(float *x, size_t n) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32>>>(x);
  cudaMemsetAsync(x, 0, n);
  kernel<<<1, 32, 0, cudaStreamPerThread>>>(x);
  cudaStreamEndCapture(cudaStreamPerThread, &graph);
}

void captured_as_zero(float *x, size_t n) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32>>>(x);
  kernel<<<1, 32, 0, cudaStreamPerThread>>>(x);
  cudaStreamEndCapture(0, &graph);
}
