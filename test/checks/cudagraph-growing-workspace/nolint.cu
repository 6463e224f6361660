// NOLINT where the buffer grows, where the node is created, or along its chain.

// RUN: %check %s cudagraph-growing-workspace

__global__ void kernel(const float *in, float *out);

class Engine {
public:
  explicit Engine(cudaStream_t s) : stream_(s) {}
  void reserve(size_t bytes) {
    if (bytes <= capacity_)
      return;
    cudaFree(a_); // NOLINT
    cudaMalloc(&a_, bytes);
    cudaFree(b_); // NOLINT(cudagraph-growing-workspace)
    cudaMalloc(&b_, bytes);
    // NOLINTNEXTLINE(cudagraph-growing-workspace)
    cudaFree(c_);
    cudaMalloc(&c_, bytes);
    // NOLINTBEGIN(cudagraph-*)
    cudaFree(d_);
    cudaMalloc(&d_, bytes);
    // NOLINTEND(cudagraph-*)
    cudaFree(e_); // NOLINT(cudagraph-dangling-memory)
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Engine::reserve' frees and reallocates 'e_' while the graph captured on 'stream_' holds its old address in 'kernel'; replays will use freed memory [cudagraph-growing-workspace]
    cudaMalloc(&e_, bytes);
    cudaFree(f_);
    cudaMalloc(&f_, bytes);
    cudaFree(g_);
    cudaMalloc(&g_, bytes);
    capacity_ = bytes;
  }
  void capture(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    kernel<<<1, 256, 0, stream_>>>(a_, out);
    kernel<<<1, 256, 0, stream_>>>(b_, out);
    kernel<<<1, 256, 0, stream_>>>(c_, out);
    kernel<<<1, 256, 0, stream_>>>(d_, out);
    kernel<<<1, 256, 0, stream_>>>(e_, out);
    kernel<<<1, 256, 0, stream_>>>(f_, out); // NOLINT(cudagraph-growing-workspace)
    step(out); // NOLINT(cudagraph-growing-workspace)
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  void step(float *out) { kernel<<<1, 256, 0, stream_>>>(g_, out); }

  cudaStream_t stream_;
  float *a_ = nullptr, *b_ = nullptr, *c_ = nullptr, *d_ = nullptr;
  float *e_ = nullptr, *f_ = nullptr, *g_ = nullptr;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
