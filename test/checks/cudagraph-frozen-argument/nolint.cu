// NOLINT at the launch, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-frozen-argument

__global__ void adam(float *p, float lr, int step);

class Optimizer {
public:
  explicit Optimizer(cudaStream_t s) : stream_(s) {}
  void set_rate(float rate) { rate_ = rate; }
  void capture(float *p) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    launches(p);
    step(p);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void capture_quietly(float *p) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal); // NOLINT(cudagraph-frozen-argument)
    quiet(p);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  void launches(float *p) {
    adam<<<1, 32, 0, stream_>>>(p, rate_, 0); // NOLINT
    adam<<<1, 32, 0, stream_>>>(p, rate_, 1); // NOLINT(cudagraph-frozen-argument)
    // NOLINTNEXTLINE(cudagraph-frozen-argument)
    adam<<<1, 32, 0, stream_>>>(p, rate_, 2);
    // NOLINTBEGIN(cudagraph-*)
    adam<<<1, 32, 0, stream_>>>(p, rate_, 3);
    // NOLINTEND(cudagraph-*)
    adam<<<1, 32, 0, stream_>>>(p, rate_, 4); // NOLINT(cudagraph-dynamic-shape)
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'rate_' of kernel 'adam' is set by 'Optimizer::set_rate' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
  }
  void quiet(float *p) { adam<<<1, 32, 0, stream_>>>(p, rate_, 5); }
  void step(float *p) {
    quiet(p); // NOLINT(cudagraph-frozen-argument)
  }

  cudaStream_t stream_;
  float rate_ = 0.1f;
  cudaGraphExec_t exec_ = nullptr;
};
