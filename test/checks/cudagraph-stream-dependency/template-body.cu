// A template that captures its argument: the end call is in the template.

// RUN: %check %s cudagraph-stream-dependency

__global__ void k(float *x);

template <class F> void capture(cudaStream_t s, cudaGraph_t *g, F &&body) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  body();
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work {{.*}}stream{{.*}}; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

void joined(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e, cudaGraph_t *g) {
  capture(s, g, [=] {
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    k<<<1, 1, 0, t>>>(x);
    cudaEventRecord(e, t);
    cudaStreamWaitEvent(s, e, 0);
  });
}
void not_joined(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e,
                cudaGraph_t *g) {
  capture(s, g, [=] {
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    k<<<1, 1, 0, t>>>(x);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: this work is not joined
  });
}
