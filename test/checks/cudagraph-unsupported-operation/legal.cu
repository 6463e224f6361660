// Calls that CUDA allows, and calls outside the capture: no findings.

// RUN: %check %s

#include <cuda.h>

__global__ void k(float *x);
static void CUDART_CB host(void *);
static void CUDART_CB done(cudaStream_t, cudaError_t, void *);

// Before and after.
void around(float *x, cudaMemLocation location, cudaStream_t s, cudaGraph_t *g,
            cudaGraphExec_t *exec) {
  cudaDeviceSetLimit(cudaLimitStackSize, 4096);
  cudaMemPrefetchAsync(x, 4, location, 0, s);
  cudaStreamAttachMemAsync(s, x, 0, cudaMemAttachSingle);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  cudaGraphInstantiate(exec, *g, 0);
  cudaGraphUpload(*exec, s);
  cudaGraphLaunch(*exec, s);
  cudaStreamAddCallback(s, done, nullptr, 0);
  cudaMemcpyPeerAsync(x, 0, x, 1, 4, s);
  cudaGraphExecDestroy(*exec);
}

// Calls that become a node, and calls that do not.
void nodes(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaEvent_t e;
  cudaStream_t other;
  int device;
  cudaFuncAttributes attributes;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(s, host, nullptr);
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDefault, s);
  cudaMemcpy2DAsync(x, 4, x, 4, 4, 1, cudaMemcpyDefault, s);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  cudaEventDestroy(e);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamDestroy(other);
  cudaGetDevice(&device);
  cudaFuncGetAttributes(&attributes, (const void *)k);
  cudaFuncSetAttribute((const void *)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 4);
  cudaStreamEndCapture(s, g);
}
void a_graph_of_its_own(cudaStream_t s, cudaGraph_t *g) {
  cudaGraph_t child;
  cudaGraphNode_t node;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaGraphCreate(&child, 0);
  cudaGraphAddEmptyNode(&node, child, nullptr, 0);
  cudaGraphDestroy(child);
  cudaStreamEndCapture(s, g);
}
void modules(CUmodule *m, CUfunction *f, const void *image, cudaStream_t s,
             cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cuModuleLoadData(m, image);
  cuModuleGetFunction(f, *m, "k");
  cudaStreamEndCapture(s, g);
}

// Relaxed.
void relaxed(cudaGraphExec_t *exec, cudaGraph_t graph, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaGraphInstantiate(exec, graph, 0);
  cudaGraphExecDestroy(*exec);
  cudaDeviceSetLimit(cudaLimitStackSize, 4096);
  cudaStreamEndCapture(s, g);
}
void exchanged(cudaGraphExec_t *exec, cudaGraph_t graph, cudaStream_t s,
               cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaGraphInstantiate(exec, graph, 0);
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaStreamEndCapture(s, g);
}

// Guarded.
void guarded(float *x, cudaMemLocation location, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusNone)
    cudaMemPrefetchAsync(x, 4, location, 0, s);
  cudaStreamEndCapture(s, g);
}
