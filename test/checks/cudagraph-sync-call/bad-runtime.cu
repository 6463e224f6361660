// Every wait, query, and blocking copy of the runtime API, on a non-blocking
// stream in global mode.

// RUN: %check %s cudagraph-sync-call

__constant__ float coefficients[16];
__device__ int flag;

void waits(cudaEvent_t other) {
  cudaStream_t s, side;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventRecord(other, side);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamSynchronize(side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'side', which is not part of the capture of 's'; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-sync-call]
  cudaStreamQuery(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery' queries stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamQuery(side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery' queries stream 'side', which is not part of the capture of 's'; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-sync-call]
  cudaEventSynchronize(other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventSynchronize' waits for event 'other' while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-sync-call]
  cudaEventQuery(other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventQuery' queries event 'other' while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// A refused call ends the capture and invalidates what it recorded. Therefore,
// each of these calls is the first to fail.
void captured_events(cudaStream_t s) {
  cudaEvent_t captured;
  cudaGraph_t graph;
  float ms;
  cudaEventCreate(&captured);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(captured, s);
  cudaEventSynchronize(captured);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventSynchronize' waits for event 'captured', which was recorded in the capture; CUDA returns cudaErrorCapturedEvent (907) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(captured, s);
  cudaEventQuery(captured);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventQuery' queries event 'captured', which was recorded in the capture; CUDA returns cudaErrorCapturedEvent (907) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(captured, s);
  cudaEventElapsedTime(&ms, captured, captured);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventElapsedTime' reads the time between two events, including 'captured', which was recorded in the capture; CUDA returns cudaErrorCapturedEvent (907) in every capture mode, and the capture continues without it [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}

// A stream that an event has joined to the capture is captured like its origin.
void joined_stream() {
  cudaStream_t s, side;
  cudaEvent_t fork;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(side, fork, 0);
  cudaStreamSynchronize(side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'side', which is part of the capture; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamQuery(side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery' queries stream 'side', which is part of the capture; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaEventRecord(fork, side);
  cudaStreamWaitEvent(s, fork, 0);
  cudaStreamEndCapture(s, &graph);

  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(side, fork, 0);
  cudaEventRecord(fork, side);
  cudaEventQuery(fork);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventQuery' queries event 'fork', which was recorded in the capture; CUDA returns cudaErrorCapturedEvent (907) in every capture mode [cudagraph-sync-call]
  cudaStreamWaitEvent(s, fork, 0);
  cudaStreamEndCapture(s, &graph);
}

void copies(float *d, float *h, size_t n, cudaArray_t array,
            const cudaMemcpy3DParms *p, const cudaMemcpy3DPeerParms *q,
            cudaPitchedPtr pitched, cudaExtent extent) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemcpy(d, d + n, n, cudaMemcpyDeviceToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemcpy2D(d, 64, h, 64, 64, 8, cudaMemcpyDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy2D' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemcpy3D(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy3D' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemcpyPeer(d, 0, h, 1, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyPeer' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemcpy3DPeer(q);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy3DPeer' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemcpy2DToArray(array, 0, 0, h, 64, 64, 8, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy2DToArray' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemcpy2DFromArray(h, 64, array, 0, 0, 64, 8, cudaMemcpyDeviceToHost);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy2DFromArray' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemcpyToSymbol(coefficients, h, sizeof(coefficients));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyToSymbol' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemcpyFromSymbol(h, coefficients, sizeof(coefficients));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyFromSymbol' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemset(d, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemset' sets memory while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemset2D(d, 64, 0, 64, 8);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemset2D' sets memory while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaMemset3D(pitched, 0, extent);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemset3D' sets memory while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  cudaStreamEndCapture(s, &graph);
}
