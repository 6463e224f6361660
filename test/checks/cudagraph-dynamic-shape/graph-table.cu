// RUN: %check %s cudagraph-dynamic-shape
//
// A graph for each size, in a table that a function other than the
// capturing one fills: by index, or by key and graph. The bad twin stores one graph
// for all sizes.

#include <cuda_runtime.h>
#include <map>
#include <unordered_map>
#include <vector>

__global__ void sum(int *x);

class Compiler {
public:
  Compiler() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&x_, 4096);
  }

protected:
  cudaGraphExec_t compile(unsigned blocks) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    sum<<<blocks, 128, 0, stream_>>>(x_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'sum' is computed from 'blocks', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }
  cudaGraphExec_t record(unsigned blocks) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    sum<<<blocks, 128, 0, stream_>>>(x_);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }
  cudaStream_t stream_;
  int *x_ = nullptr;
};

class One : Compiler {
public:
  void run(int rows) {
    const unsigned blocks = (rows + 127) / 128;
    if (!plan_)
      plan_ = compile(blocks);
    cudaGraphLaunch(plan_, stream_);
  }

private:
  cudaGraphExec_t plan_ = nullptr;
};

class ByIndex : Compiler {
public:
  void run(int rows) {
    const unsigned blocks = (rows + 127) / 128;
    if (plans_.find(blocks) == plans_.end())
      plans_[blocks] = record(blocks);
    cudaGraphLaunch(plans_[blocks], stream_);
  }

private:
  std::unordered_map<unsigned, cudaGraphExec_t> plans_;
};

class ByKey : Compiler {
public:
  void run(int rows) {
    const unsigned blocks = (rows + 127) / 128;
    auto it = plans_.find(blocks);
    if (it == plans_.end())
      it = plans_.emplace(blocks, record(blocks)).first;
    cudaGraphLaunch(it->second, stream_);
  }

private:
  std::unordered_map<unsigned, cudaGraphExec_t> plans_;
};

int main() {
  One one;
  ByIndex index;
  ByKey key;
  std::vector<int> sizes{100, 4000, 700};
  for (int rows : sizes) {
    one.run(rows);
    index.run(rows);
    key.run(rows);
  }
}
