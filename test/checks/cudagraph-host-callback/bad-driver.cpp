// Host functions and stream callbacks of the driver API.

// RUN: %check %s cudagraph-host-callback

#include <cstdlib>
#include <cuda.h>

static void CUDA_CB done(void *data) {
  free(data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the host function 'done' frees its data, and every replay passes the same data to it again; the second replay will use freed memory [cudagraph-host-callback]
}

static void CUDA_CB synchronize(void *data) {
  cuStreamSynchronize(*static_cast<CUstream *>(data));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' is called in a host function of the graph; CUDA returns cudaErrorNotPermitted (800) on every replay [cudagraph-host-callback]
}

static void CUDA_CB finished(CUstream, CUresult, void *) {}

static CUstream g_side;

void capture(CUstream s, CUgraph *graph) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuLaunchHostFunc(s, done, malloc(16));
  cuLaunchHostFunc(s, synchronize, &g_side);
  cuStreamEndCapture(s, graph);
}

void callback(CUstream s, CUgraph *graph) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuStreamAddCallback(s, finished, nullptr, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamAddCallback' adds a callback on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-host-callback]
  cuStreamEndCapture(s, graph);
}
