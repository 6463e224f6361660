// Templates that capture, launch, and set.

// RUN: %check %s cudagraph-frozen-argument
// RUN: %if gxx %{ %check %s cudagraph-frozen-argument --real-std %}

#include <utility>

template <typename T> __global__ void scale(T *p, T factor);

// One instantiation passes the value; the other stores it on the device.
template <typename T> __global__ void scale_by(T *p, const T *factor);

template <typename T, bool OnDevice> class Scaler {
public:
  explicit Scaler(cudaStream_t s) : stream_(s) {}
  void set_factor(T factor) { factor_ = factor; }
  void capture(T *p) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    if constexpr (OnDevice)
      scale_by<<<1, 32, 0, stream_>>>(p, device_);
    else
      scale<<<1, 32, 0, stream_>>>(p, factor_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'factor_' of kernel 'scale' is set by 'Scaler::set_factor' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  T factor_ = 1;
  T *device_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

template class Scaler<float, false>;
template class Scaler<double, true>;

// A function template captures a callable.
template <typename F> cudaGraphExec_t capture(cudaStream_t s, F &&body) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::forward<F>(body)(s);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

class Runner {
public:
  void set_factor(float factor) { factor_ = factor; }
  void run(float *p, cudaStream_t s) {
    if (!exec_)
      exec_ = capture(s, [&](cudaStream_t t) {
        scale<<<1, 32, 0, t>>>(p, factor_);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: argument 'factor_' of kernel 'scale' is set by 'Runner::set_factor' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
        scale<<<1, 32, 0, t>>>(p, 2.0f);
      });
    cudaGraphLaunch(exec_, s);
  }

private:
  float factor_ = 1;
  cudaGraphExec_t exec_ = nullptr;
};
