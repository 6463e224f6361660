// A loop over a container calls all of its callables; a call by a computed index
// calls one of them.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <functional>
#include <memory>
#include <vector>

__global__ void k(float *x, float rate);
struct ExecDeleter {
  void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using ExecHandle = std::unique_ptr<CUgraphExec_st, ExecDeleter>;

// Each iteration calls one of several callables: a graph may outlive a change.
class Console {
public:
  Console() {
    cudaStreamCreate(&s_);
    commands_.push_back([this](int v) { rate_ = v; });
    commands_.push_back([this](int) { exec_.reset(); });
  }
  void run() {
    for (int i = 0; i < 10; ++i) {
      commands_[next() % 2](i);
      step();
    }
  }

private:
  int next();
  void step() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
      k<<<1, 1, 0, s_>>>(nullptr, rate_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate_' of kernel 'k' is set by a lambda in 'Console::Console' while the graph exists
      cudaStreamEndCapture(s_, &graph);
      cudaGraphExec_t exec;
      cudaGraphInstantiate(&exec, graph, 0);
      exec_.reset(exec);
    }
    cudaGraphLaunch(exec_.get(), s_);
  }
  std::vector<std::function<void(int)>> commands_;
  cudaStream_t s_;
  float rate_ = 1;
  ExecHandle exec_;
};

// A loop with an index or an iterator calls all callables: one drops the graph.
template <bool ByIndex> class Chain {
public:
  Chain() {
    cudaStreamCreate(&s_);
    commands_.push_back([this](int v) { rate_ = v; });
    commands_.push_back([this](int) { exec_.reset(); });
  }
  void run() {
    for (int i = 0; i < 10; ++i) {
      if (ByIndex)
        for (size_t c = 0; c < commands_.size(); ++c)
          commands_[c](i);
      else
        for (auto it = commands_.begin(); it != commands_.end(); ++it)
          (*it)(i);
      step();
    }
  }

private:
  void step() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
      k<<<1, 1, 0, s_>>>(nullptr, rate_);
      cudaStreamEndCapture(s_, &graph);
      cudaGraphExec_t exec;
      cudaGraphInstantiate(&exec, graph, 0);
      exec_.reset(exec);
    }
    cudaGraphLaunch(exec_.get(), s_);
  }
  std::vector<std::function<void(int)>> commands_;
  cudaStream_t s_;
  float rate_ = 1;
  ExecHandle exec_;
};

int main() {
  Console console;
  console.run();
  Chain<true> byIndex;
  byIndex.run();
  Chain<false> byIterator;
  byIterator.run();
}
