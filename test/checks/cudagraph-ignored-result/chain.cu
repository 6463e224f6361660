// A wrapper, several calls away, that ignores CUDA's result.

// RUN: %check %s cudagraph-ignored-result

__global__ void k(float *x);

static void release(void *p, cudaStream_t s) {
  cudaFreeAsync(p, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
}
class Workspace {
public:
  explicit Workspace(cudaStream_t s) : stream_(s) { cudaMallocAsync(&p_, 64, s); }
  ~Workspace() { release(p_, stream_); }
  cudaStream_t stream() const { return stream_; }
  void grow(size_t n) {
    release(p_, stream_);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'release'
    cudaMallocAsync(&p_, n, stream_);
  }

private:
  cudaStream_t stream_;
  void *p_;
};
void capture(Workspace &w, cudaGraph_t *g) {
  cudaStreamBeginCapture(w.stream(), cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 'w.stream()' (global mode) begins here
  w.grow(128);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'Workspace::grow'
  cudaStreamEndCapture(w.stream(), g);
}
