// Per-thread default streams: stream 0 is cudaStreamPerThread.

// RUN: %check %s -- -DCUDA_API_PER_THREAD_DEFAULT_STREAM

__global__ void k(float *x);
void pt(float *x, cudaGraph_t *g) {
  cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  k<<<1, 1, 0, cudaStreamPerThread>>>(x);
  k<<<1, 1, 0, cudaStreamLegacy>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}(906)
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDefault);
  cudaStreamSynchronize(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}which is capturing
  cudaStreamSynchronize(cudaStreamPerThread);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}which is capturing
  cudaStreamEndCapture(0, g);
  cudaStreamSynchronize(0);
}
void other(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}CUDA returns success, but the work runs once
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}CUDA returns success, but the work runs once
  cudaMemcpy(x, x, 4, cudaMemcpyDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}CUDA returns success, but the work runs once
  cudaMemset(x, 0, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}CUDA returns success, but the work runs once
  cudaStreamSynchronize(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}(900) in global mode
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}(900) in global mode
  cudaStreamEndCapture(s, g);
}
void relaxed(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamSynchronize(0);
  cudaStreamCaptureStatus st;
  cudaStreamIsCapturing(s, &st);
  if (st == cudaStreamCaptureStatusNone)
    cudaStreamSynchronize(s);
  cudaStreamEndCapture(s, g);
}
