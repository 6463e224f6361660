// A message with many conditions names one outcome with its condition, and
// summarizes the others.

// RUN: %check %s cudagraph-capture-scope --confidence=possible

// The caller may pass two streams.
bool end_on_unknown(cudaStream_t s, cudaStream_t t, cudaGraph_t *g) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return false;
  return cudaStreamEndCapture(t, g) == cudaSuccess;
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamEndCapture' ends the capture on stream 't'; CUDA returns cudaErrorStreamCaptureUnmatched (903) if the stream has joined the capture; in other cases, CUDA returns cudaErrorIllegalState (401) or cudaErrorStreamCaptureImplicit (906), depending on the stream and the kind of the capturing stream [cudagraph-capture-scope]
}
bool end_on_origin(cudaStream_t s, cudaGraph_t *g) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return false;
  return cudaStreamEndCapture(s, g) == cudaSuccess;
}
