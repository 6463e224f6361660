// Lambdas that launch with captured or passed numbers.

// RUN: %check %s cudagraph-frozen-argument
// RUN: %if gxx %{ %check %s cudagraph-frozen-argument --real-std %}

#include <functional>

__global__ void adam(float *p, float lr, int step);

class Optimizer {
public:
  explicit Optimizer(cudaStream_t s) : stream_(s) {}
  void set_rate(float rate) {
    rate_ = rate;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is set here
  }
  void capture(float *p) {
    cudaGraph_t graph;
    auto step = [&](float rate) {
      adam<<<1, 32, 0, stream_>>>(p, rate, 0);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate' of kernel 'adam' is set by 'Optimizer::set_rate' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    };
    std::function<void()> update = [this, p] {
      adam<<<1, 32, 0, stream_>>>(p, rate_, 0);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate_' of kernel 'adam' is set by 'Optimizer::set_rate' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    };
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    step(rate_);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls the lambda
    step(0.5f);
    update();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls the lambda
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float rate_ = 0.1f;
  cudaGraphExec_t exec_ = nullptr;
};
