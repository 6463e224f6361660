// Operations that a graph cannot contain, and calls refused during a capture.

// RUN: %check %s 'cudagraph-unsupported-operation,cudagraph-host-callback'

#include <cuda.h>

__global__ void k(float *x);

// These calls are refused on a capturing stream in every mode.
void peer_copy(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemcpyPeerAsync(x, 0, x, 1, 4, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyPeerAsync' copies memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  cudaStreamEndCapture(s, g);
}
void prefetch(float *x, cudaMemLocation location, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemPrefetchAsync(x, 4, location, 0, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemPrefetchAsync' prefetches memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  cudaStreamEndCapture(s, g);
}
void attach(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamAttachMemAsync(s, x, 0, cudaMemAttachSingle);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamAttachMemAsync' attaches managed memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  cudaStreamEndCapture(s, g);
}
void CUDART_CB done(cudaStream_t, cudaError_t, void *);
void callback(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamAddCallback(s, done, nullptr, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamAddCallback' adds a callback on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-host-callback]
  cudaStreamEndCapture(s, g);
}
void upload(cudaGraphExec_t exec, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaGraphUpload(exec, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphUpload' uploads a graph on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  cudaStreamEndCapture(s, g);
}
void on_a_fork(float *x, cudaMemLocation location, cudaStream_t s, cudaStream_t side,
               cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  cudaMemPrefetchAsync(x, 4, location, 0, side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemPrefetchAsync' prefetches memory on stream 'side', which is part of the capture; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  cudaEventRecord(e, side);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamEndCapture(s, g);
}

// Batches are refused, and the capture continues.
void batch(void **dst, const void **src, size_t *sizes, size_t *index,
           cudaMemcpyAttributes *attributes, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyBatchAsync(dst, src, sizes, 2, attributes, index, 1, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyBatchAsync' copies memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode{{.*}} [cudagraph-unsupported-operation]
  cudaStreamEndCapture(s, g);
}

// Graphs, devices, and modules are changed with unsafe calls.
void graphs(cudaGraphExec_t *exec, cudaGraph_t graph, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaGraphInstantiate(exec, graph, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphInstantiate' builds or changes a graph while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  cudaGraphExecDestroy(*exec);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphExecDestroy' builds or changes a graph while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  cudaStreamEndCapture(s, g);
}
void devices(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaDeviceSetLimit(cudaLimitStackSize, 4096);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSetLimit' changes the state of the device or the context while 's' (thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-unsupported-operation]
  cudaDeviceEnablePeerAccess(1, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceEnablePeerAccess' changes the access to another device while 's' (thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-unsupported-operation]
  cudaStreamEndCapture(s, g);
}
