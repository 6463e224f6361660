// Waits for default streams, and queries, are refused as for any other stream.
// With a blocking capture stream, the code for the legacy stream is 906.
//
// Codes in global, thread-local, and relaxed mode (H200, driver 580): 906 in
// all for the legacy stream and a blocking capture stream; else 900, 900, 0.

// RUN: %check %s

__global__ void k(float *x);

void non_blocking(cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for {{.*}}returns cudaErrorStreamCaptureUnsupported (900) in global mode
  cudaStreamSynchronize(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for {{.*}}(900) in global mode
  cudaStreamSynchronize(cudaStreamLegacy);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for {{.*}}(900) in global mode
  cudaStreamSynchronize(cudaStreamPerThread);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for {{.*}}(900) in global mode
  cudaStreamQuery(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery' queries {{.*}}(900) in global mode
  cudaStreamQuery(cudaStreamPerThread);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery' queries {{.*}}(900) in global mode
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize'
  cudaStreamEndCapture(s, g);
  cudaStreamSynchronize(0);
  cudaStreamQuery(0);
}

void blocking(cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaStreamSynchronize(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for {{.*}}returns cudaErrorStreamCaptureImplicit (906)
  cudaStreamSynchronize(cudaStreamPerThread);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for {{.*}}(900) in thread-local mode
  cudaStreamQuery(cudaStreamLegacy);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery' queries {{.*}}(906)
  cudaStreamEndCapture(s, g);
}

void relaxed(cudaGraph_t *g) {
  cudaStream_t s, b;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreate(&b);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamSynchronize(0);
  cudaStreamSynchronize(cudaStreamPerThread);
  cudaStreamQuery(0);
  cudaStreamSynchronize(b);
  cudaStreamEndCapture(s, g);
  cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed);
  cudaStreamSynchronize(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for {{.*}}(906) in every capture mode
  cudaStreamSynchronize(cudaStreamPerThread);
  cudaStreamEndCapture(b, g);
}

// The call fails with either kind; only the code is unknown.
void unknown_kind(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for {{.*}}906{{.*}}900
  cudaStreamEndCapture(s, g);
}
