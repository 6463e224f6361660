// Templates, as instantiated.

// RUN: %check %s cudagraph-unsupported-operation

__global__ void k(float *x);

template <class T> struct Managed {
  void toDevice(cudaStream_t s) {
    cudaMemPrefetchAsync(data, n * sizeof(T), location, 0, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemPrefetchAsync' prefetches memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  }
  void toHost(cudaStream_t s) { cudaMemPrefetchAsync(data, 4, location, 0, s); }
  T *data;
  size_t n;
  cudaMemLocation location;
};
template <bool Peer> void copy(float *x, float *y, cudaStream_t s) {
  if constexpr (Peer)
    cudaMemcpyPeerAsync(x, 0, y, 1, 4, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyPeerAsync' copies memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  else
    cudaMemcpyAsync(x, y, 4, cudaMemcpyDeviceToDevice, s);
}
void capture(Managed<float> &a, Managed<double> &b, float *x, cudaStream_t s,
             cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  a.toDevice(s);
  b.toDevice(s);
  copy<false>(x, x, s);
  cudaStreamEndCapture(s, g);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  copy<true>(x, x, s);
  cudaStreamEndCapture(s, g);
  a.toHost(s);
}
