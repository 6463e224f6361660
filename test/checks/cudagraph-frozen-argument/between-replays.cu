// RUN: %check %s cudagraph-frozen-argument
//
// Writes between the capture and a launch of its graph, in a completely visible
// program. Earlier writes cause no findings.

#include <cuda_runtime.h>
#include <memory>
#include <vector>

struct Hyper {
  float rate = .1f;
  float decay = .9f;
};

__global__ void step(float *w, float rate, int n);
__global__ void decay(float *w, Hyper h, int n);
__global__ void scale(float *w, float by);

// A member whose value is known when the graph is captured.
class Optimizer {
public:
  explicit Optimizer(int n) : n_(n) {
    cudaStreamCreate(&stream_);
    cudaMalloc(&w_, n * sizeof(float));
  }
  void setRate(float rate) { rate_ = rate; }
  void setScale(float by) { by_ = by; }
  Hyper &hyper() { return hyper_; }
  float half() const { return rate_ * .5f; }
  void run() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
      step<<<1, 32, 0, stream_>>>(w_, rate_, n_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate_' of kernel 'step' is set by 'Optimizer::setRate' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      step<<<1, 32, 0, stream_>>>(w_, half(), n_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'half()' of kernel 'step' is set by 'Optimizer::setRate' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      float local = rate_ * 2;
      step<<<1, 32, 0, stream_>>>(w_, local, n_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'local' of kernel 'step' is set by 'Optimizer::setRate' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      decay<<<1, 32, 0, stream_>>>(w_, hyper_, n_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'hyper_' of kernel 'decay' is set by 'main' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      scale<<<1, 32, 0, stream_>>>(w_, by_); // set before the capture only
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
      cudaGraphDestroy(graph);
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  int n_;
  float rate_ = .1f, by_ = 2;
  Hyper hyper_;
  float *w_ = nullptr;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// Each setter is followed by a remedy.
class Careful {
public:
  Careful() {
    cudaStreamCreate(&stream_);
    cudaMalloc(&w_, 400);
  }
  ~Careful() { drop(); }
  void setRate(float rate) { // destroys the graph
    rate_ = rate;
    drop();
  }
  void setScale(float by) { // sets a flag
    by_ = by;
    dirty_ = true;
  }
  void run() {
    if (dirty_)
      drop();
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
      step<<<1, 32, 0, stream_>>>(w_, rate_, 100);
      scale<<<1, 32, 0, stream_>>>(w_, by_);
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
      cudaGraphDestroy(graph);
      dirty_ = false;
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void drop() {
    if (exec_)
      cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  float rate_ = .1f, by_ = 2;
  bool dirty_ = false;
  float *w_ = nullptr;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// One graph per side: the value that selects a graph does not change the graph.
class Sides {
public:
  void record() {
    for (int i = 0; i < 2; ++i) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
      scale<<<1, 32, 0, stream_>>>(side_[i], 2);
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_[i], graph, 0);
    }
  }
  void run() {
    cudaGraphLaunch(exec_[turn_], stream_);
    turn_ ^= 1;
  }

private:
  float *side_[2];
  int turn_ = 0;
  cudaStream_t stream_;
  cudaGraphExec_t exec_[2];
};

int main() {
  Optimizer o(100);
  o.setScale(3);
  for (int i = 0; i < 10; ++i) {
    o.hyper().rate = .1f * i;
    o.run();
    o.setRate(.5f / (i + 1));
  }
  Careful c;
  for (int i = 0; i < 10; ++i) {
    if (i == 5)
      c.setRate(.5f);
    if (i == 7)
      c.setScale(3);
    c.run();
  }
  Sides s;
  s.record();
  for (int i = 0; i < 10; ++i)
    s.run();
}

// A function recomputes its own values in each call: the eager call after the
// capture does not change the arguments of the graph.
struct Transform {
  cudaStream_t user;
  int capacity;
};
void transform(Transform &t, float *x, int n) {
  const int half = n / 2 + 1;
  step<<<1, 32, 0, t.user>>>(x, 1.0f, half);
}
void eager_after(Transform &t, float *x, int n, int rounds) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamBeginCapture(t.user, cudaStreamCaptureModeGlobal);
  transform(t, x, n);
  cudaStreamEndCapture(t.user, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < rounds; ++i) {
    transform(t, x, i);
    cudaGraphLaunch(exec, t.user);
  }
}
