// A blocking copy or set becomes its stream-ordered form.

// RUN: %check %s cudagraph-sync-call

// The driver applies the same fix.
// RUN: sed 's,//.*CHECK-FIXES.*,//,' %s > %t.cu
// RUN: %not %driver --quiet --fix '--checks=-*,cudagraph-sync-call' %t.cu -- -std=c++17 %mockflags
// RUN: %FileCheck %s --check-prefix=CHECK-FIXES --input-file=%t.cu

__constant__ float table[4];

void copies(float *d, float *h, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  // CHECK-FIXES: cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s);
  cudaMemset(d + 1, 0, n * sizeof(float));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemset' sets memory while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
  // CHECK-FIXES: cudaMemsetAsync(d + 1, 0, n * sizeof(float), s);
  cudaMemcpy2D(d, 8, h, 8, 8, 2,
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy2D' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
               cudaMemcpyDefault);
  // CHECK-FIXES: cudaMemcpy2DAsync(d, 8, h, 8, 8, 2,
  // CHECK-FIXES: cudaMemcpyDefault, s);
  if (cudaMemset2D(d, 8, 0, 8, 2) != cudaSuccess)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMemset2D' sets memory while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
    return;
  // CHECK-FIXES: if (cudaMemset2DAsync(d, 8, 0, 8, 2, s) != cudaSuccess)
  cudaStreamEndCapture(s, &graph);
  cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);
  // CHECK-FIXES: cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);
}

// The fix uses the stream's name in the calling function, not in the region.
static void upload(float *d, const float *h, size_t n, cudaStream_t stream) {
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-sync-call]
  // CHECK-FIXES: cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, stream);
}

struct Buffer {
  float *device;
  cudaStream_t stream_;
  void clear(size_t n) {
    cudaMemset(device, 0, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemset' sets memory while 's' (relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-sync-call]
    // CHECK-FIXES: cudaMemsetAsync(device, 0, n, stream_);
  }
};

// No edit without a stream, with omitted default arguments, or in a macro.
static void no_stream(float *d, size_t n) {
  cudaMemset(d, 1, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemset' sets memory while 's' (relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-sync-call]
  // CHECK-FIXES: cudaMemset(d, 1, n);
}

#define ZERO(p, n) cudaMemset(p, 0, n)

void callers(float *d, float *h, size_t n, Buffer &b) {
  cudaStream_t s = b.stream_;
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  upload(d, h, n, s);
  b.clear(n);
  no_stream(d, n);
  ZERO(d, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemset' sets memory while 's' (relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-sync-call]
  // CHECK-FIXES: ZERO(d, n);
  cudaMemcpyToSymbol(table, h, sizeof(table));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyToSymbol' copies memory and blocks the host while 's' (relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-sync-call]
  // CHECK-FIXES: cudaMemcpyToSymbol{{(\(table, h, sizeof\(table\)\);|Async\(table, h, sizeof\(table\), 0, cudaMemcpyHostToDevice, s\);)}}
  cudaStreamEndCapture(s, &graph);
}
