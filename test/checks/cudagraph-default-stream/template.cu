// Templates: kernels and launchers.

// RUN: %check %s cudagraph-default-stream

template <typename T, int Block> __global__ void reduce(const T *in, T *out, int n);
template <typename F> __global__ void apply(F f, int n);

template <typename T> void launch_reduce(const T *in, T *out, int n, cudaStream_t stream) {
  reduce<T, 256><<<(n + 255) / 256, 256, 256 * sizeof(T)>>>(in, out, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'reduce' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  // CHECK-NOTES: :[[@LINE-2]]:3: note: the stream parameter 'stream' is not used for this call
}

// The stream is used in one instantiation, and ignored in the other.
template <bool Default> void launch_on(float *x, int n, cudaStream_t stream) {
  if constexpr (Default)
    reduce<float, 64><<<1, 64>>>(x, x, n);
  else
    reduce<float, 64><<<1, 64, 0, stream>>>(x, x, n);
}

// Arguments are forwarded to the kernel; the stream is a member.
class Stream {
public:
  Stream() { cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking); }
  operator cudaStream_t() const { return s_; }
  cudaStream_t get() const { return s_; }
  template <typename K, typename... Args> void launch(K kernel, dim3 grid, dim3 block, Args... args) {
    kernel<<<grid, block, 0, s_>>>(args...);
  }
  template <typename K, typename... Args> void launch_wrong(K kernel, dim3 grid, dim3 block, Args... args) {
    kernel<<<grid, block>>>(args...);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  }
  template <typename F> cudaGraph_t capture(F &&body) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    body(*this);
    cudaStreamEndCapture(s_, &graph);
    return graph;
  }

private:
  cudaStream_t s_;
};

void capture(float *x, double *y, int n) {
  Stream s;
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch_reduce(x, x, n, s);
  launch_reduce(y, y, n, s);
  launch_on<false>(x, n, s);
  s.launch(reduce<float, 32>, dim3(1), dim3(32), x, x, n);
  s.launch_wrong(reduce<float, 32>, dim3(1), dim3(32), x, x, n);
  reduce<float, 32><<<1, 32, 0, s.get()>>>(x, x, n);
  cudaStreamEndCapture(s, &graph);
  launch_on<true>(x, n, s);
}

void capture_body(float *x, int n) {
  Stream s;
  s.capture([=](Stream &t) { t.launch(reduce<float, 32>, dim3(1), dim3(32), x, x, n); });
  s.capture([=](Stream &t) {
    reduce<float, 32><<<1, 32>>>(x, x, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'reduce' is launched on the legacy default stream while 's_' (non-blocking, thread-local mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  });
}
