// Legal calls in a capture have no findings: errors, attributes, events,
// stream-ordered memory, child graphs, and host functions.

// RUN: %check %s

#include <cstdio>
__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
#define END(s, g) cudaStreamEndCapture(s, g)
void silent(cudaStream_t s, float *x, cudaGraph_t *g, cudaGraph_t child) {
  cudaEvent_t e;
  int d, n;
  cudaStreamCaptureStatus st;
  unsigned long long id;
  cudaFuncAttributes fa;
  void *p;
  BEGIN(s);
  cudaGetLastError();
  cudaPeekAtLastError();
  cudaGetErrorString(cudaSuccess);
  cudaSetDevice(0);
  cudaGetDevice(&d);
  cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0);
  cudaStreamIsCapturing(s, &st);
  cudaStreamGetCaptureInfo(s, &st, &id);
  cudaEventCreate(&e);
  cudaEventRecord(e, s);
  cudaEventDestroy(e);
  cudaFuncSetAttribute((const void *)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 4);
  cudaFuncGetAttributes(&fa, (const void *)k);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)k, 32, 0);
  cudaMallocAsync(&p, 4, s);
  cudaFreeAsync(p, s);
  cudaLaunchHostFunc(s, [](void *) { printf("replayed"); }, nullptr);
  END(s, g);
}
// A graph cannot be launched into a capture; it can only be a child node.
void launches(cudaStream_t s, cudaGraph_t *g, cudaGraphExec_t ge) {
  BEGIN(s);
  cudaGraphLaunch(ge, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphLaunch' launches a graph {{.*}}stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
  END(s, g);
  cudaGraphLaunch(ge, s);
}
