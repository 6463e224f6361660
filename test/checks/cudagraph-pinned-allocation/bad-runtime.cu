// Pinned host memory, in every capture mode. Relaxed mode allows it.

// RUN: %check %s cudagraph-pinned-allocation

void global_mode(float *plain, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *h, *g;
  cudaMallocHost(&h, n);
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocHost(&g, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocHost' allocates pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cudaMallocHost((void **)&g, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocHost' allocates pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cudaHostAlloc(&g, n, cudaHostAllocDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaHostAlloc' allocates pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cudaHostAlloc((void **)&g, n, cudaHostAllocMapped | cudaHostAllocPortable);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaHostAlloc' allocates pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cudaHostRegister(plain, n, cudaHostRegisterDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaHostRegister' pins host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cudaHostUnregister(plain);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaHostUnregister' unpins host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cudaFreeHost(h);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFreeHost' frees pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cudaStreamEndCapture(s, &graph);
}

// The kind of the stream makes no difference.
void thread_local_mode(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *h;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaMallocHost(&h, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocHost' allocates pinned host memory while 's' (blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-pinned-allocation]
  cudaFreeHost(h);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFreeHost' frees pinned host memory while 's' (blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-pinned-allocation]
  cudaStreamEndCapture(s, &graph);
}

void relaxed_mode(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *h;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMallocHost(&h, n);
  cudaHostAlloc(&h, n, cudaHostAllocDefault);
  cudaHostRegister(h, n, 0);
  cudaFreeHost(h);
  cudaStreamEndCapture(s, &graph);
}

void unknown_mode(cudaStream_t s, cudaStreamCaptureMode mode, size_t n) {
  cudaGraph_t graph;
  float *h;
  cudaStreamBeginCapture(s, mode);
  cudaMallocHost(&h, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocHost' allocates pinned host memory while 's' captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the capture mode is global or thread-local [cudagraph-pinned-allocation]
  cudaStreamEndCapture(s, &graph);
}

// A wrapper that passes the mode on.
static void begin(cudaStream_t s, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  cudaStreamBeginCapture(s, mode);
}

void mode_through_wrapper(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *h;
  cudaStreamCreate(&s);
  begin(s);
  cudaMallocHost(&h, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocHost' allocates pinned host memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cudaStreamEndCapture(s, &graph);
  begin(s, cudaStreamCaptureModeRelaxed);
  cudaMallocHost(&h, n);
  cudaStreamEndCapture(s, &graph);
}

// The mode exchange that libraries use around allocations, and its reverse.
void exchanged(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *h;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaMallocHost(&h, n);
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaMallocHost(&h, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocHost' allocates pinned host memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  cudaStreamEndCapture(s, &graph);
}
