// The fix adds the stream to a launch, or replaces the wrong stream.

// RUN: %check %s cudagraph-default-stream

// The driver applies the same fix.
// RUN: sed 's,//.*CHECK-FIXES.*,//,' %s > %t.cu
// RUN: %not %driver --quiet --fix '--checks=-*,cudagraph-default-stream' %t.cu -- -std=c++17 %mockflags
// RUN: %FileCheck %s --check-prefix=CHECK-FIXES --input-file=%t.cu

__global__ void kernel(float *x, int n);

void launches(float *x, float *h, int n) {
  cudaStream_t s, other;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-FIXES: kernel<<<1, 32, 0, s>>>(x, n);
  kernel<<<1, dim3(32, 2), n * 4>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-FIXES: kernel<<<1, dim3(32, 2), n * 4, s>>>(x, n);
  kernel<<<2, 32, 0, 0>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-FIXES: kernel<<<2, 32, 0, s>>>(x, n);
  kernel<<<3, 32, 0, nullptr>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-FIXES: kernel<<<3, 32, 0, s>>>(x, n);
  kernel<<<(n + 31) / 32,
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
           32>>>(x, n);
  // CHECK-FIXES:            32, 0, s>>>(x, n);
  cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-FIXES: cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice, s);
  cudaMemsetAsync(x, 0, n, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-FIXES: cudaMemsetAsync(x, 0, n, s);
  cudaStreamEndCapture(s, &graph);
}

// The parameter that was forgotten.
static void scale(float *x, int n, cudaStream_t stream) {
  kernel<<<n / 32, 32>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-FIXES: kernel<<<n / 32, 32, 0, stream>>>(x, n);
}

// No stream is available, or the launch is in a macro: no edit.
static void nothing_at_hand(float *x, int n) {
  kernel<<<n / 64, 64>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-FIXES: kernel<<<n / 64, 64>>>(x, n);
}

#define LAUNCH(grid, block) kernel<<<grid, block>>>(x, n)

void callers(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale(x, n, s);
  nothing_at_hand(x, n);
  LAUNCH(5, 32);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-FIXES: LAUNCH(5, 32);
  cudaStreamEndCapture(s, &graph);
}
