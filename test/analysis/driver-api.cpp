// The driver API, in a C++ source, and mixed with the runtime API.

// RUN: %check %s

#include <cuda.h>
#include <cuda_runtime_api.h>
void drv(CUfunction f, CUgraph *g, CUdeviceptr p) {
  CUstream s, t;
  cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
  cuStreamCreate(&t, CU_STREAM_DEFAULT);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr);
  cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLaunchKernel'
  cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, t, nullptr, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLaunchKernel'
  cuStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize'
  cuCtxSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuCtxSynchronize'
  cuMemAlloc(&p, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemAlloc
  cuMemcpyHtoD(p, &p, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemcpyHtoD
  cuMemcpyHtoDAsync(p, &p, 4, s);
  cuStreamQuery(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamQuery
  cuStreamEndCapture(s, g);
  cuStreamSynchronize(s);
  cuStreamBeginCapture(t, CU_STREAM_CAPTURE_MODE_RELAXED);
  cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, nullptr, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuLaunchKernel' {{.*}}(906)
  cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, nullptr,
                 nullptr);
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: 'cuLaunchKernel'
  cuMemAlloc(&p, 4);
  cuStreamEndCapture(t, g);
}
void guard(CUstream s, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  CUstreamCaptureStatus st;
  cuStreamIsCapturing(s, &st);
  if (st == CU_STREAM_CAPTURE_STATUS_NONE)
    cuStreamSynchronize(s);
  if (st != CU_STREAM_CAPTURE_STATUS_NONE)
    cuStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cuStreamSynchronize'
  CUstreamCaptureStatus s2;
  cuuint64_t id;
  cuStreamGetCaptureInfo(s, &s2, &id, nullptr, nullptr, nullptr, nullptr);
  if (s2 == CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return;
  cuStreamSynchronize(s);
}
void exch(CUstream s, CUgraph *g, CUdeviceptr p) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUstreamCaptureMode m = CU_STREAM_CAPTURE_MODE_RELAXED;
  cuThreadExchangeStreamCaptureMode(&m);
  cuMemAlloc(&p, 4);
  cuThreadExchangeStreamCaptureMode(&m);
  cuMemAlloc(&p, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemAlloc
  cuStreamEndCapture(s, g);
}
void mixed(cudaStream_t s, cudaGraph_t *g, CUdeviceptr p) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaMalloc((void **)&p, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaStreamEndCapture(s, g);
  cuStreamSynchronize(s);
}
void tograph(CUstream s, CUgraph g) {
  cuStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0,
                              CU_STREAM_CAPTURE_MODE_RELAXED);
  cuStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize'
  cuStreamEndCapture(s, &g);
  cuStreamSynchronize(s);
  cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0,
                                cudaStreamCaptureModeThreadLocal);
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  cuStreamEndCapture(s, &g);
}
