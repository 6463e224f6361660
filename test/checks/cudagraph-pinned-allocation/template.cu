// An allocator for containers, and typed helpers.

// RUN: %check %s cudagraph-pinned-allocation

template <typename T> struct PinnedAllocator {
  using value_type = T;
  T *allocate(size_t n) {
    T *p = nullptr;
    cudaMallocHost(&p, n * sizeof(T));
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMallocHost' allocates pinned host memory while 's' (blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-pinned-allocation]
    return p;
  }
  void deallocate(T *p, size_t) {
    cudaFreeHost(p);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFreeHost' frees pinned host memory while 's' (blocking, thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode [cudagraph-pinned-allocation]
  }
};

template <typename T, class Allocator> class Array {
public:
  explicit Array(size_t n) : size_(n), data_(allocator_.allocate(n)) {}
  ~Array() { allocator_.deallocate(data_, size_); }
  T *data() { return data_; }

private:
  Allocator allocator_;
  size_t size_;
  T *data_;
};

template <typename T> struct HostAllocator {
  T *allocate(size_t n) { return new T[n]; }
  void deallocate(T *p, size_t) { delete[] p; }
};

void capture(float *d, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  {
    Array<float, PinnedAllocator<float>> pinned(n);
    Array<double, PinnedAllocator<double>> doubles(n);
    Array<float, HostAllocator<float>> plain(n);
    cudaMemcpyAsync(d, pinned.data(), n, cudaMemcpyHostToDevice, s);
  }
  cudaStreamEndCapture(s, &graph);
  Array<int, PinnedAllocator<int>> after(n);
}
