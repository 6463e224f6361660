// An object without a name is treated like one with a name: values that its
// methods set between two launches are stale.

// RUN: %check %s cudagraph-frozen-argument

#include <cuda_runtime.h>

__global__ void k(float *x, float scale);

class Solver {
public:
  Solver() { cudaStreamCreate(&s_); }
  void run() {
    for (int i = 0; i < 10; ++i) {
      scale_ = i;
      step();
    }
  }

private:
  void step() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s_>>>(nullptr, scale_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'scale_' of kernel 'k' is set by 'Solver::run' while the graph exists
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }
  cudaStream_t s_;
  float scale_ = 1;
  cudaGraphExec_t exec_ = nullptr;
};

// The value is set before each capture.
class Fitter {
public:
  Fitter() { cudaStreamCreate(&s_); }
  void run() {
    for (int i = 0; i < 10; ++i) {
      scale_ = i;
      record();
      for (int n = 0; n < 4; ++n)
        cudaGraphLaunch(exec_, s_);
      cudaGraphExecDestroy(exec_);
    }
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s_>>>(nullptr, scale_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  cudaStream_t s_;
  float scale_ = 1;
  cudaGraphExec_t exec_ = nullptr;
};

// A new object for each launch.
struct Scale {
  explicit Scale(float by) : by_(by) {}
  Scale &twice() {
    by_ *= 2;
    return *this;
  }
  float by_;
};
class Renderer {
public:
  void frames() {
    for (int i = 0; i < 10; ++i) {
      last_ = Scale(i).twice().by_;
      if (!exec_) {
        cudaGraph_t graph;
        cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
        k<<<1, 1, 0, s_>>>(nullptr, Scale(3).twice().by_);
        cudaStreamEndCapture(s_, &graph);
        cudaGraphInstantiate(&exec_, graph, 0);
      }
      cudaGraphLaunch(exec_, s_);
    }
  }

private:
  cudaStream_t s_;
  float last_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  Solver().run();
  Fitter().run();
  Renderer().frames();
}
