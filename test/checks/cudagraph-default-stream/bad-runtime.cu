// Work on the legacy default stream, or on a stream that is not part of the
// capture: refused with a blocking capture stream, and silently missing from
// the graph with a non-blocking one.

// RUN: %check %s cudagraph-default-stream

__global__ void kernel(float *x, int n);
__constant__ float table[4];

void launches(float *x, int n) {
  cudaStream_t s, other;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-NOTES: :[[@LINE-2]]:3: note: use 's', the capturing stream
  kernel<<<1, 32, 1024>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  kernel<<<1, 32, 0, 0>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  kernel<<<1, 32, 0, nullptr>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  kernel<<<dim3(n / 32), dim3(32), 0, cudaStreamLegacy>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  kernel<<<1, 32, 0, cudaStreamPerThread>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the per-thread default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  kernel<<<1, 32, 0, other>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  void *args[] = {&x, &n};
  cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), args, 0, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaLaunchKernel' launches a kernel on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), args, 0, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaLaunchKernel' launches a kernel on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaLaunchCooperativeKernel((const void *)kernel, dim3(1), dim3(32), args, 0, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaLaunchCooperativeKernel' launches a kernel on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamEndCapture(s, &graph);
}

void launch_config(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchConfig_t none = {};
  none.gridDim = 1;
  none.blockDim = 32;
  cudaLaunchKernelEx(&none, kernel, x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaLaunchKernelEx' launches a kernel on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaLaunchConfig_t right = {};
  right.gridDim = 1;
  right.blockDim = 32;
  right.stream = s;
  cudaLaunchKernelEx(&right, kernel, x, n);
  cudaStreamEndCapture(s, &graph);
}

void async_calls(float *x, float *h, size_t n) {
  cudaStream_t s, other;
  cudaEvent_t e;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreate(&e);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies memory on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice, s);
  cudaMemsetAsync(x, 0, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaMemsetAsync(x, 0, n, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaMemcpy2DAsync(x, 64, h, 64, 64, 2, cudaMemcpyDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy2DAsync' copies memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaMemcpyToSymbolAsync(table, h, sizeof(table));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyToSymbolAsync' copies memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaMemcpyToSymbolAsync(table, h, sizeof(table), 0, cudaMemcpyHostToDevice, s);
  cudaMemcpyFromSymbolAsync(h, table, sizeof(table), 0, cudaMemcpyDeviceToHost, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyFromSymbolAsync' copies memory on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaMemcpyPeerAsync(x, 0, h, 1, n, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyPeerAsync' copies memory on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaLaunchHostFunc(other, [](void *) {}, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaLaunchHostFunc' enqueues a host function on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamEndCapture(s, &graph);
}

// With a blocking capture stream, only the legacy stream is refused.
void blocking(float *x, float *h, int n) {
  cudaStream_t s, other;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamCreate(&other);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies memory on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  cudaMemsetAsync(x, 0, n, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  kernel<<<1, 32, 0, other>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'other', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamEndCapture(s, &graph);
}

// Relaxed mode changes nothing.
void relaxed(float *x, int n) {
  cudaStream_t s, t;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  kernel<<<1, 32>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  cudaStreamEndCapture(s, &graph);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaStreamBeginCapture(t, cudaStreamCaptureModeRelaxed);
  kernel<<<1, 32>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 't' (non-blocking, relaxed mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamEndCapture(t, &graph);
}

// The caller created the stream, so both outcomes are reported.
void unknown(cudaStream_t s, float *x, int n) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-default-stream]
  cudaStreamEndCapture(s, &graph);
}

// A typical error: the helper has a stream parameter but does not use it.
static void scale(float *x, int n, cudaStream_t stream) {
  kernel<<<n / 256, 256>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-NOTES: :[[@LINE-2]]:3: note: the stream parameter 'stream' is not used for this call
}

// A default argument that is never supplied.
static void add(float *x, int n, cudaStream_t stream = 0) {
  kernel<<<n / 256, 256, 0, stream>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
}

void helpers(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale(x, n, s);
  add(x, n, s);
  add(x, n);
  cudaStreamEndCapture(s, &graph);
}

// The stream is used before it is forked from the capture.
void not_forked(float *x, int n) {
  cudaStream_t s, side;
  cudaEvent_t fork;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  kernel<<<1, 32, 0, side>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'side', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamWaitEvent(side, fork, 0);
  kernel<<<1, 32, 0, side>>>(x, n);
  cudaEventRecord(fork, side);
  cudaStreamWaitEvent(s, fork, 0);
  cudaStreamEndCapture(s, &graph);
  kernel<<<1, 32>>>(x, n);
}
