// The effect of the capture mode: except in relaxed mode, every wait or query
// is refused; in relaxed mode, calls unrelated to the capture are legal.
// Calls for the capturing stream or its device are refused in every mode.

// RUN: %check %s cudagraph-sync-call

void thread_local_mode(cudaStream_t other, cudaEvent_t outside) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaEventRecord(outside, other);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaEventQuery(outside);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventQuery' queries event 'outside' while 's' (non-blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-sync-call]
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (non-blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

void relaxed_mode(cudaEvent_t outside) {
  cudaStream_t s, side;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventRecord(outside, side);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamSynchronize(side);
  cudaStreamQuery(side);
  cudaEventSynchronize(outside);
  cudaEventQuery(outside);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (non-blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// The current mode of the thread counts, not the one in which the capture
// began: here, it is exchanged within the capture and restored.
void exchanged(cudaEvent_t outside) {
  cudaStream_t s, side;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventRecord(outside, side);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaEventQuery(outside);
  cudaStreamSynchronize(side);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaEventQuery(outside);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventQuery' queries event 'outside' while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// Only the caller knows the mode.
void unknown_mode(cudaStreamCaptureMode mode, cudaEvent_t outside) {
  cudaStream_t s, side;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventRecord(outside, side);
  cudaStreamBeginCapture(s, mode);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamSynchronize(side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'side', which is not part of the capture of 's'; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the capture mode is global or thread-local [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// The capture has either of two modes: the worse outcome is reported.
void either_mode(bool strict) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, strict ? cudaStreamCaptureModeGlobal
                                   : cudaStreamCaptureModeRelaxed);
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (blocking) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}
