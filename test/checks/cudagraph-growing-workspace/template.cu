// Buffers and engines that are templates.

// RUN: %check %s cudagraph-growing-workspace

template <typename T> __global__ void expand(const T *in, T *out);

template <typename T> class Buffer {
public:
  ~Buffer() { cudaFree(data_); }
  void reserve(size_t n) {
    if (n <= capacity_)
      return;
    cudaFree(data_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Buffer::reserve' frees and reallocates '{{scratch_|data_}}' while the graph captured on 'stream_' holds its old address in 'expand'; {{.*}} [cudagraph-growing-workspace]
    cudaMalloc(&data_, n * sizeof(T));
    capacity_ = n;
  }
  T *get() const { return data_; }

private:
  T *data_ = nullptr;
  size_t capacity_ = 0;
};

// The buffer grows in one instantiation, but not in the other.
template <typename T, bool Grows> class Engine {
public:
  explicit Engine(cudaStream_t s) : stream_(s) {}
  void prefill(T *out, size_t n) {
    if constexpr (Grows)
      scratch_.reserve(n);
    expand<T><<<64, 256, 0, stream_>>>(scratch_.get(), out);
  }
  void capture(T *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    expand<T><<<1, 256, 0, stream_>>>(scratch_.get(), out);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  Buffer<T> scratch_;
  cudaGraphExec_t exec_ = nullptr;
};

template class Engine<float, true>;
template class Engine<double, false>;
