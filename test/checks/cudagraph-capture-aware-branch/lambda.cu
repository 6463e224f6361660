// The query or the work is in a lambda.

// RUN: %check %s cudagraph-capture-aware-branch

__global__ void fused(const float *q, float *o);
__global__ void masked(const float *q, float *o);

void capture(const float *q, float *o, cudaStream_t s, cudaGraph_t *graph) {
  auto capturing = [](cudaStream_t stream) {
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(stream, &status);
    return status == cudaStreamCaptureStatusActive;
  };
  auto attention = [&] {
    if (capturing(s))
    // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: while a stream captures, this enqueues 'fused', otherwise 'masked'; {{.*}} [cudagraph-capture-aware-branch]
      fused<<<1, 32, 0, s>>>(q, o);
    else
      masked<<<1, 32, 0, s>>>(q, o);
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  attention();
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls the lambda
  cudaStreamEndCapture(s, graph);
}
