// The driver API, from plain C++.

// RUN: %check %s 'cudagraph-unsupported-operation,cudagraph-host-callback'

#include <cuda.h>

void modules(CUmodule module, CUlibrary library, CUstream s, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuModuleUnload(module);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuModuleUnload' unloads code while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  cuLibraryUnload(library);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLibraryUnload' unloads code while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  cuStreamEndCapture(s, g);
}
void context(CUcontext peer, CUstream s, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuCtxSetLimit' changes the state of the device or the context while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  cuCtxEnablePeerAccess(peer, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuCtxEnablePeerAccess' changes the access to another device while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  cuStreamEndCapture(s, g);
}
void graphs(CUgraphExec *exec, CUgraph graph, CUstream s, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuGraphInstantiate(exec, graph, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuGraphInstantiateWithFlags' builds or changes a graph while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  cuGraphExecDestroy(*exec);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuGraphExecDestroy' builds or changes a graph while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-unsupported-operation]
  cuStreamEndCapture(s, g);
}
void work(CUdeviceptr p, CUcontext a, CUcontext b, CUstream s, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED);
  cuMemcpyPeerAsync(p, a, p, b, 4, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyPeerAsync' copies memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  cuStreamAttachMemAsync(s, p, 0, CU_MEM_ATTACH_SINGLE);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamAttachMemAsync' attaches managed memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  cuStreamAddCallback(s, nullptr, nullptr, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamAddCallback' adds a callback on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-host-callback]
  cuStreamEndCapture(s, g);
}
