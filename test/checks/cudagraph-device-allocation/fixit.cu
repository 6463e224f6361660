// The fix moves a stream-ordered allocation to the capturing stream.

// RUN: %check %s cudagraph-device-allocation

// The driver applies the same fix.
// RUN: sed 's,//.*CHECK-FIXES.*,//,' %s > %t.cu
// RUN: %not %driver --quiet --fix '--checks=-*,cudagraph-device-allocation' %t.cu -- -std=c++17 %mockflags
// RUN: %FileCheck %s --check-prefix=CHECK-FIXES --input-file=%t.cu

void stream_ordered(size_t n) {
  cudaStream_t s, other;
  cudaGraph_t graph;
  float *d;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&d, n, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocAsync' allocates memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  // CHECK-FIXES: cudaMallocAsync(&d, n, s);
  cudaMalloc(&d, n * 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  // CHECK-FIXES: cudaMalloc(&d, n * 4);
  cudaStreamEndCapture(s, &graph);
}
