// In a message, "the legacy default stream" replaces the name of a stream.

// RUN: %check %s cudagraph-sync-call

#include <cuda.h>

extern "C" CUresult cuStreamGetGreenCtx(CUstream, struct CUgreenCtx_st **);

void asked(struct CUgreenCtx_st **c, CUgraph *graph) {
  CUstream s;
  cuStreamCreate(&s, CU_STREAM_DEFAULT);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuStreamGetGreenCtx(s, c);
  cuStreamGetGreenCtx(nullptr, c);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamGetGreenCtx' queries the green context of the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
  cuStreamEndCapture(s, graph);
}
