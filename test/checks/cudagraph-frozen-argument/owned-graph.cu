// The destruction of a graph does not destroy its executable graph, regardless
// of where the graph is destroyed.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <memory>

__global__ void k(float *x, float scale);

struct GraphDeleter {
  void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); }
};
struct ExecDeleter {
  void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using GraphHandle = std::unique_ptr<CUgraph_st, GraphDeleter>;
using ExecHandle = std::unique_ptr<CUgraphExec_st, ExecDeleter>;

template <class Fn> GraphHandle capture(cudaStream_t s, Fn &&fn) {
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  fn(s);
  cudaStreamEndCapture(s, &graph);
  return GraphHandle(graph);
}

static void destroy(cudaGraph_t graph) { cudaGraphDestroy(graph); }

class ByHelper {
public:
  ByHelper() { cudaStreamCreate(&s_); }
  void setScale(float scale) { scale_ = scale; }
  void draw() {
    if (!frame_)
      prepare();
    cudaGraphLaunch(frame_.get(), s_);
  }

private:
  void prepare() {
    const GraphHandle graph = capture(s_, [this](cudaStream_t s) {
      k<<<1, 1, 0, s>>>(nullptr, scale_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'scale_' of kernel 'k' is set by 'ByHelper::setScale' while the graph exists
    });
    cudaGraphExec_t exec = nullptr;
    cudaGraphInstantiate(&exec, graph.get(), 0);
    frame_.reset(exec);
  }
  cudaStream_t s_;
  float scale_ = 1;
  ExecHandle frame_;
};

class ByFunction {
public:
  ByFunction() { cudaStreamCreate(&s_); }
  void setScale(float scale) { scale_ = scale; }
  void draw() {
    if (!frame_) {
      cudaGraph_t graph = record();
      cudaGraphInstantiate(&frame_, graph, 0);
      destroy(graph);
    }
    cudaGraphLaunch(frame_, s_);
  }

private:
  cudaGraph_t record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(nullptr, scale_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'scale_' of kernel 'k' is set by 'ByFunction::setScale' while the graph exists
    cudaStreamEndCapture(s_, &graph);
    return graph;
  }
  cudaStream_t s_;
  float scale_ = 1;
  cudaGraphExec_t frame_ = nullptr;
};

// The graph is captured again after each change.
class Again {
public:
  Again() { cudaStreamCreate(&s_); }
  void setScale(float scale) {
    scale_ = scale;
    frame_.reset();
  }
  void draw() {
    if (!frame_) {
      const GraphHandle graph = capture(
          s_, [this](cudaStream_t s) { k<<<1, 1, 0, s>>>(nullptr, scale_); });
      cudaGraphExec_t exec = nullptr;
      cudaGraphInstantiate(&exec, graph.get(), 0);
      frame_.reset(exec);
    }
    cudaGraphLaunch(frame_.get(), s_);
  }

private:
  cudaStream_t s_;
  float scale_ = 1;
  ExecHandle frame_;
};

// The graph is never launched.
class Discarded {
public:
  Discarded() { cudaStreamCreate(&s_); }
  void setScale(float scale) { scale_ = scale; }
  void draw() {
    const GraphHandle graph = capture(
        s_, [this](cudaStream_t s) { k<<<1, 1, 0, s>>>(nullptr, scale_); });
  }

private:
  cudaStream_t s_;
  float scale_ = 1;
};

template <class T> void use() {
  T scene;
  scene.draw();
  scene.setScale(2);
  scene.draw();
}
int main() {
  use<ByHelper>();
  use<ByFunction>();
  use<Again>();
  use<Discarded>();
}
