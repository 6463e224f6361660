// A helper, a method, or an object makes the query, and other functions enqueue
// the work.

// RUN: %check %s cudagraph-capture-aware-branch

__global__ void fused(const float *q, float *o);
__global__ void masked(const float *q, float *o);

namespace util {
inline bool is_capturing(cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  return status != cudaStreamCaptureStatusNone;
}
} // namespace util

// Both branches call functions that launch.
static void fast(const float *q, float *o, cudaStream_t s) {
  fused<<<1, 32, 0, s>>>(q, o);
}

static void exact(const float *q, float *o, cudaStream_t s) {
  masked<<<1, 32, 0, s>>>(q, o);
}

static void attention(const float *q, float *o, cudaStream_t s) {
  if (util::is_capturing(s))
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: while a stream captures, this enqueues 'fused', otherwise 'masked'; unless both compute the same result, replays differ from the eager run [cudagraph-capture-aware-branch]
    fast(q, o, s);
  else
    exact(q, o, s);
}

static void layer(const float *q, float *o, cudaStream_t s) {
  attention(q, o, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'attention'
}

// One method queries; another method clears the buffer.
class Histogram {
public:
  explicit Histogram(unsigned *bins) : bins_(bins) {}
  void enqueue(const float *q, float *o, cudaStream_t s) {
    if (!in_capture(s))
    // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: while a stream captures, this skips a memset; replays lack this work [cudagraph-capture-aware-branch]
      clear(s);
    fused<<<1, 32, 0, s>>>(q, o);
  }

private:
  static bool in_capture(cudaStream_t s) { return util::is_capturing(s); }
  void clear(cudaStream_t s) { cudaMemsetAsync(bins_, 0, 1024, s); }
  unsigned *bins_;
};

void capture(Histogram &histogram, const float *q, float *o, cudaStream_t s,
             cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (global mode) begins here
  layer(q, o, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'layer'
  histogram.enqueue(q, o, s);
  cudaStreamEndCapture(s, graph);
}
