// In a program that is completely visible, a later call passes a different
// number but launches the same graph: the only one, or one from a table whose
// key is another argument.

// RUN: %check %s cudagraph-dynamic-shape
// RUN: %if gxx %{ %check %s cudagraph-dynamic-shape --real-std %}

#include <map>

__global__ void sum(int *x);

class Base {
public:
  Base() {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    cudaMalloc(&x_, 4096);
  }

protected:
  cudaStream_t s_;
  int *x_;
};

class One : Base {
public:
  void run(int rows) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      sum<<<rows, 32, 0, s_>>>(x_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'sum' is computed from 'rows', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaGraphExec_t exec_ = nullptr;
};

class ByOther : Base {
public:
  void run(int slot, int rows) {
    auto it = graphs_.find(slot);
    if (it == graphs_.end()) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      sum<<<rows, 32, 0, s_>>>(x_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'sum' is computed from 'rows', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      it = graphs_.emplace(slot, exec).first;
    }
    cudaGraphLaunch(it->second, s_);
  }

private:
  std::map<int, cudaGraphExec_t> graphs_;
};

// The same number each time, one graph for each number, or a new capture.
class Same : Base {
public:
  void run(int rows) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      sum<<<rows, 32, 0, s_>>>(x_);
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaGraphExec_t exec_ = nullptr;
};

class ByRows : Base {
public:
  void run(int rows) {
    auto it = graphs_.find(rows);
    if (it == graphs_.end()) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      sum<<<rows, 32, 0, s_>>>(x_);
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      it = graphs_.emplace(rows, exec).first;
    }
    cudaGraphLaunch(it->second, s_);
  }

private:
  std::map<int, cudaGraphExec_t> graphs_;
};

class Anew : Base {
public:
  void run(int rows) {
    if (rows != rows_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      sum<<<rows, 32, 0, s_>>>(x_);
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
      rows_ = rows;
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  int rows_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  One one;
  one.run(3);
  one.run(7);
  ByOther other;
  for (int rows : {1, 30, 7})
    other.run(1, rows);
  Same same;
  same.run(5);
  same.run(5);
  ByRows each;
  each.run(3);
  each.run(7);
  Anew anew;
  anew.run(3);
  anew.run(7);
}
