// A region is the code between a begin call and an end call on one stream. The
// outcome of a call in it depends on the kind of the capturing stream and on
// the capture mode.

// RUN: %check %s
// RUN: %driver regions --quiet %s -- -std=c++17 -nostdinc++ -isystem %mock-std %mockflags -I %annotations > %t.regions
// RUN: %FileCheck %s --check-prefix=REGIONS < %t.regions
// REGIONS: begin{{ +}}root{{ +}}mode

#include <cstdio>

__global__ void k(float *x);

void non_blocking(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMalloc(&x, 4);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}global{{ +}}s{{ +}}non-blocking{{ +}}non_blocking{{ +}}[[#@LINE+13]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(x);
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDeviceToDevice, s);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph
  cudaMemcpy(x, x, 4, cudaMemcpyDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (non-blocking, global mode) captures; CUDA returns success, but
  cudaMalloc(&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode
  printf("x");
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'printf' writes to the standard output
  cudaStreamEndCapture(s, g);
  cudaStreamSynchronize(s);
  cudaFree(x);
  printf("x");
}

void blocking(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}relaxed{{ +}}s{{ +}}blocking{{ +}}blocking{{ +}}[[#@LINE+10]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode
  cudaMemcpy(x, x, 4, cudaMemcpyDefault);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906)
  cudaMalloc(&x, 4);
  cudaFree(x);
  cudaStreamEndCapture(s, g);
  cudaStreamSynchronize(s);
}

void unknown_kind(float *x, cudaGraph_t *g, cudaStream_t s, cudaStream_t other) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}thread-local{{ +}}s{{ +}}unknown{{ +}}unknown_kind{{ +}}[[#@LINE+11]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream while 's' (thread-local mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking
  k<<<1, 1, 0, other>>>(x);     // may be the same, or joined
  cudaMalloc(&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode
  cudaStreamSynchronize(other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaStreamEndCapture(s, g);
  cudaStreamSynchronize(s);
  cudaStreamSynchronize(other);
}

// The mode is a parameter or an expression.
void unknown_mode(cudaStream_t s, cudaGraph_t *g, cudaStreamCaptureMode m, bool strict,
                  float *x) {
  cudaStreamBeginCapture(s, m);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}unknown{{ +}}s{{ +}}unknown{{ +}}unknown_mode{{ +}}[[#@LINE+5]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  cudaStreamEndCapture(s, g);
  constexpr auto kMode = cudaStreamCaptureModeRelaxed;
  cudaStreamBeginCapture(s, kMode);
  // A region without findings comes last in the table.
  cudaMalloc(&x, 1);
  cudaStreamEndCapture(s, g);
  cudaStreamBeginCapture(s, (cudaStreamCaptureMode)2);
  // A region without findings comes last in the table.
  cudaMalloc(&x, 1);
  cudaStreamEndCapture(s, g);
  cudaStreamBeginCapture(s, strict ? cudaStreamCaptureModeThreadLocal
                                   : cudaStreamCaptureModeGlobal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-2]]:{{[0-9]+ +}}api-pair{{ +}}unknown{{ +}}s{{ +}}unknown{{ +}}unknown_mode{{ +}}[[#@LINE+3]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaStreamEndCapture(s, g);
}

void into_graph(cudaStream_t s, cudaGraph_t g) {
  cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0,
                                cudaStreamCaptureModeThreadLocal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-2]]:{{[0-9]+ +}}api-pair{{ +}}thread-local{{ +}}s{{ +}}unknown{{ +}}into_graph{{ +}}[[#@LINE+4]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree' frees device memory while 's' (thread-local mode) captures
  k<<<1, 1, 0, s>>>(nullptr);
  cudaStreamEndCapture(s, &g);
  cudaFree(nullptr);
}

// CUDA refuses this begin call, so nothing is captured.
void legacy(cudaGraph_t *g, float *x) {
  cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on the legacy default stream{{.*}} CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  // REGIONS-NEXT: {{^ +}}[[#@LINE-2]]:{{[0-9]+ +}}api-pair{{ +}}global{{ +}}0{{ +}}blocking{{ +}}legacy{{ +}}not seen{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1>>>(x);
  cudaMalloc(&x, 1);
  cudaStreamEndCapture(0, g);
  cudaDeviceSynchronize();
}

void per_thread(cudaGraph_t *g, float *x) {
  cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}global{{ +}}cudaStreamPerThread{{ +}}blocking{{ +}}per_thread{{ +}}[[#@LINE+8]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, cudaStreamPerThread>>>(x);
  k<<<1, 1, 0, cudaStreamLegacy>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream while 'cudaStreamPerThread' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906)
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream while 'cudaStreamPerThread' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906)
  cudaStreamSynchronize(cudaStreamPerThread);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'cudaStreamPerThread', which is capturing
  cudaStreamEndCapture(cudaStreamPerThread, g);
}

// REGIONS-NEXT: {{^ +}}[[#@LINE-51]]:{{[0-9]+ +}}api-pair{{ +}}relaxed{{ +}}s{{ +}}unknown{{ +}}unknown_mode{{ +}}[[#@LINE-48]]:{{[0-9]+ +[0-9]+ +[0-9]+$}}
// REGIONS-NEXT: {{^ +}}[[#@LINE-48]]:{{[0-9]+ +}}api-pair{{ +}}relaxed{{ +}}s{{ +}}unknown{{ +}}unknown_mode{{ +}}[[#@LINE-45]]:{{[0-9]+ +[0-9]+ +[0-9]+$}}
// REGIONS-NOT: {{[0-9]:[0-9]}}
