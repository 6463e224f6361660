// Calls in macros and in error-check macros.

// RUN: %check %s cudagraph-growing-workspace

#include <cstdlib>

__global__ void kernel(const float *in, float *out);

#define CU_CHECK(call)                                                         \
  do {                                                                         \
    if ((call) != cudaSuccess)                                                 \
      abort();                                                                 \
  } while (0)

#define REGROW(p, bytes)                                                       \
  do {                                                                         \
    CU_CHECK(cudaFree(p));                                                     \
    CU_CHECK(cudaMalloc(&(p), bytes));                                         \
  } while (0)

class Engine {
public:
  explicit Engine(cudaStream_t s) : stream_(s) {}
  void reserve(size_t bytes) {
    if (bytes <= capacity_)
      return;
    CU_CHECK(cudaFree(scratch_));
    // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'Engine::reserve' frees and reallocates 'scratch_' while the graph captured on 'stream_' holds its old address in 'kernel'; replays will use freed memory [cudagraph-growing-workspace]
    CU_CHECK(cudaMalloc(&scratch_, bytes));
    REGROW(partial_, bytes);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Engine::reserve' frees and reallocates 'partial_' while the graph captured on 'stream_' holds its old address in 'kernel'; replays will use freed memory [cudagraph-growing-workspace]
    capacity_ = bytes;
  }
  void capture(float *out) {
    cudaGraph_t graph;
    CU_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    kernel<<<1, 256, 0, stream_>>>(scratch_, out);
    kernel<<<1, 256, 0, stream_>>>(out, partial_);
    CU_CHECK(cudaStreamEndCapture(stream_, &graph));
    CU_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
  }
  void run() { CU_CHECK(cudaGraphLaunch(exec_, stream_)); }

private:
  cudaStream_t stream_;
  float *scratch_ = nullptr, *partial_ = nullptr;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
