// The launch is in a lambda.

// RUN: %check %s cudagraph-growing-workspace
// RUN: %if gxx %{ %check %s cudagraph-growing-workspace --real-std %}

#include <utility>

__global__ void kernel(const float *in, float *out);

template <typename F> cudaGraphExec_t capture(cudaStream_t s, F &&body) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::forward<F>(body)();
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

class Engine {
public:
  explicit Engine(cudaStream_t s) : stream_(s) {}
  void reserve(size_t bytes) {
    if (bytes <= capacity_)
      return;
    cudaFree(scratch_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Engine::reserve' frees and reallocates 'scratch_' while the graph captured on 's' holds its old address in 'kernel'; replays will use freed memory [cudagraph-growing-workspace]
    cudaMalloc(&scratch_, bytes);
    capacity_ = bytes;
  }
  void record(float *out) {
    exec_ = capture(stream_, [&] {
      kernel<<<1, 256, 0, stream_>>>(scratch_, out);
    });
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *scratch_ = nullptr;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// A lambda that ends the capture allocates memory and frees it: both are nodes.
template <typename F> static void run(F body) { body(); }
static float *brief;
void freedInLambda(size_t n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  run([&] {
    cudaMallocAsync(&brief, n, s);
    kernel<<<1, 1, 0, s>>>(brief, brief);
    cudaFreeAsync(brief, s);
    cudaStreamEndCapture(s, g);
  });
}
