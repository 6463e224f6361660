// Device memory: refused except in relaxed mode.

// RUN: %check %s cudagraph-device-allocation

void global_mode(size_t n, cudaExtent extent, const cudaChannelFormatDesc *desc, cudaArray_t old_array, float *old) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *d;
  size_t pitch;
  cudaPitchedPtr pitched;
  cudaArray_t array;
  cudaMipmappedArray_t mipmap;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMalloc(&d, n);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMalloc(&d, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMalloc((void **)&d, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMallocManaged(&d, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocManaged' allocates managed memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMallocPitch(&d, &pitch, 64, 64);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocPitch' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMalloc3D(&pitched, extent);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc3D' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMallocArray(&array, desc, 64, 64);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocArray' allocates an array while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMalloc3DArray(&array, desc, extent);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc3DArray' allocates an array while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMallocMipmappedArray(&mipmap, desc, extent, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocMipmappedArray' allocates an array while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaFree(old);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree' frees device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaFreeArray(old_array);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFreeArray' frees an array while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaFreeMipmappedArray(mipmap);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFreeMipmappedArray' frees an array while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaStreamEndCapture(s, &graph);
  cudaFree(d);
}

void thread_local_mode(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *d;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaMalloc(&d, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-device-allocation]
  cudaFree(d);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree' frees device memory while 's' (blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-device-allocation]
  cudaStreamEndCapture(s, &graph);
}

void relaxed_mode(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *d;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMalloc(&d, n);
  cudaFree(d);
  cudaStreamEndCapture(s, &graph);
}

void unknown_mode(cudaStreamCaptureMode mode, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *d;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, mode);
  cudaMalloc(&d, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (blocking) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the capture mode is global or thread-local [cudagraph-device-allocation]
  cudaStreamEndCapture(s, &graph);
}

// Stream-ordered: only a call on a capturing stream becomes a node.
void stream_ordered(cudaMemPool_t pool, size_t n) {
  cudaStream_t s, other, blocking;
  cudaGraph_t graph;
  float *d;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamCreate(&blocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&d, n, s);
  cudaFreeAsync(d, s);
  cudaMallocFromPoolAsync(&d, n, pool, s);
  cudaFreeAsync(d, s);
  cudaMallocAsync(&d, n, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocAsync' allocates memory on stream 'other', which is not part of the capture of 's'; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMallocFromPoolAsync(&d, n, pool, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocFromPoolAsync' allocates memory on stream 'other', which is not part of the capture of 's'; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMallocAsync(&d, n, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocAsync' allocates memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaStreamEndCapture(s, &graph);
  cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&d, n, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocAsync' allocates memory on the legacy default stream while 'blocking' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-device-allocation]
  cudaStreamEndCapture(blocking, &graph);
}

void stream_ordered_relaxed(float *old, size_t n) {
  cudaStream_t s, other;
  cudaGraph_t graph;
  float *d;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMallocAsync(&d, n, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocAsync' allocates memory on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-device-allocation]
  cudaFreeAsync(old, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFreeAsync' frees memory on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-device-allocation]
  cudaStreamEndCapture(s, &graph);
}

// Pools.
void pools(cudaMemPool_t pool, const cudaMemPoolProps *props) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaMemPool_t created;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemPoolCreate(&created, props);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemPoolCreate' creates a memory pool while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMemPoolTrimTo(pool, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemPoolTrimTo' returns unused memory to the system while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaMemPoolDestroy(created);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemPoolDestroy' destroys a memory pool while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaStreamEndCapture(s, &graph);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemPoolTrimTo(pool, 0);
  cudaStreamEndCapture(s, &graph);
}

// A buffer that grows on demand, a typical case.
struct Workspace {
  void *data = nullptr;
  size_t size = 0;
  void *get(size_t n) {
    if (n > size) {
      if (data)
        cudaFree(data);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaFree' frees device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
      cudaMalloc(&data, n);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
      size = n;
    }
    return data;
  }
};

void workspace(Workspace &w, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(w.get(n), 0, n, s);
  cudaStreamEndCapture(s, &graph);
}
