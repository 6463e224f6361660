// A blocking copy uses the legacy default stream. With a blocking capture
// stream, CUDA refuses it; with a non-blocking one, it runs immediately and is
// missing from the graph without an error.

// RUN: %check %s cudagraph-sync-call

void blocking(float *d, const float *h, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cudaMemset(d, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemset' sets memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// Relaxed mode does not help.
void blocking_relaxed(float *d, const float *h, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamDefault);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

void non_blocking(float *d, const float *h, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (non-blocking, thread-local mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// The caller created the stream, so both outcomes are reported.
void unknown(cudaStream_t s, float *d, const float *h, size_t n) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// The flags are a variable.
void unknown_flags(unsigned flags, float *d, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, flags);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemset(d, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemset' sets memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// The per-thread default stream is a blocking stream.
void per_thread(float *d, size_t n) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal);
  cudaMemset(d, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemset' sets memory while 'cudaStreamPerThread' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cudaStreamSynchronize(cudaStreamPerThread);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'cudaStreamPerThread', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(cudaStreamPerThread, &graph);
}

// A wait for the legacy stream while a different stream captures.
void legacy_wait() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cudaStreamSynchronize(cudaStreamLegacy);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cudaStreamQuery(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery' queries the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// If the capture stream is non-blocking, the legacy stream is not special.
void legacy_wait_non_blocking() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamSynchronize(0);
  cudaStreamQuery(0);
  cudaStreamEndCapture(s, &graph);
}

// A query for the identity of a capturing stream also invalidates the capture.
void identity() {
  cudaStream_t s, other;
  cudaGraph_t graph;
  unsigned flags;
  unsigned long long id;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamGetFlags(s, &flags);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamGetFlags' queries the flags of stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamGetId(s, &id);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamGetId' queries the identity of stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamGetFlags(other, &flags);
  cudaStreamEndCapture(s, &graph);
}
