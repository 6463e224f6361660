// Templates whose branches differ or are the same.

// RUN: %check %s cudagraph-capture-aware-branch

template <typename T> __global__ void amax(const T *x, T *scale);
template <typename T> __global__ void quantize(const T *x, const T *scale);

static bool capturing(cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  return status == cudaStreamCaptureStatusActive;
}

// One instantiation queries.
template <typename T, bool Dynamic>
void run(const T *x, T *scale, cudaStream_t s) {
  if constexpr (Dynamic) {
    if (!capturing(s))
    // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: while a stream captures, this skips 'amax'; replays lack this work [cudagraph-capture-aware-branch]
      amax<T><<<1, 1, 0, s>>>(x, scale);
  }
  quantize<T><<<1, 32, 0, s>>>(x, scale);
}

// The kernel's type is the same in both branches.
template <typename T> void same(const T *x, T *a, T *b, cudaStream_t s) {
  if (capturing(s))
    quantize<T><<<1, 32, 0, s>>>(x, a);
  else
    quantize<T><<<1, 32, 0, s>>>(x, b);
}

void capture(const float *x, float *a, float *b, cudaStream_t s,
             cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  run<float, true>(x, a, s);
  run<float, false>(x, b, s);
  same(x, a, b, s);
  cudaStreamEndCapture(s, graph);
}
