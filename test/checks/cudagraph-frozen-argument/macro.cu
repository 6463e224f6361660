// Launches, setters, and numbers in macros.

// RUN: %check %s cudagraph-frozen-argument

#include <cstdlib>

__global__ void adam(float *p, float lr, int step);

#define CU_CHECK(call)                                                         \
  do {                                                                         \
    if ((call) != cudaSuccess)                                                 \
      abort();                                                                 \
  } while (0)

#define LAUNCH(kernel, s, ...) kernel<<<1, 32, 0, s>>>(__VA_ARGS__)
#define PROPERTY(type, name)                                                   \
  void set_##name(type value) { name##_ = value; }                             \
  type name##_ = {};
#define RATE 0.1f

class Optimizer {
public:
  explicit Optimizer(cudaStream_t s) : stream_(s) {}
  PROPERTY(float, decay)
  void capture(float *p) {
    cudaGraph_t graph;
    CU_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    LAUNCH(adam, stream_, p, decay_, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: argument 'decay_' of kernel 'adam' is set by 'Optimizer::set_decay' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    LAUNCH(adam, stream_, p, RATE, 0);
    CU_CHECK(cudaStreamEndCapture(stream_, &graph));
    CU_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
  }
  void run() { CU_CHECK(cudaGraphLaunch(exec_, stream_)); }

private:
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};
