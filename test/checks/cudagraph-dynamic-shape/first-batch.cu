// The size of the first batch determines the launch, and each later call launches the
// same graph. The sizes are those of containers passed by reference, or members of
// objects passed for the same parameter.

// RUN: %check %s cudagraph-dynamic-shape
// RUN: %if gxx %{ %check %s cudagraph-dynamic-shape --real-std %}

#include <map>
#include <vector>

__global__ void score(float *data, int n);

class Stage {
public:
  Stage() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }

  void run(const std::vector<float> &rows) {
    if (!exec_)
      record(rows.size());
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void record(size_t n) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    score<<<(n + 255) / 256, 256, 0, stream_>>>(data_, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'score' is computed from parameter 'rows' of 'Stage::run', whose later calls launch the graph of an earlier call
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }

  cudaStream_t stream_;
  float *data_;
  cudaGraphExec_t exec_ = nullptr;
};

// One graph for each size.
class StageBySize {
public:
  StageBySize() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }

  void run(const std::vector<float> &rows) {
    cudaGraphExec_t &exec = execs_[rows.size()];
    if (!exec)
      record(rows.size(), exec);
    cudaGraphLaunch(exec, stream_);
  }

private:
  void record(size_t n, cudaGraphExec_t &exec) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    score<<<(n + 255) / 256, 256, 0, stream_>>>(data_, n);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }

  cudaStream_t stream_;
  float *data_;
  std::map<size_t, cudaGraphExec_t> execs_;
};

struct Batch {
  int rows;
};

class Ranker {
public:
  Ranker() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }

  void run(const Batch &batch) {
    if (!exec_)
      record(batch.rows);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void record(int n) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    score<<<(n + 255) / 256, 256, 0, stream_>>>(data_, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'score' is computed from 'rows', which has a different value when the graph is launched
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }

  cudaStream_t stream_;
  float *data_;
  cudaGraphExec_t exec_ = nullptr;
};

// Both batches have the same size.
class EqualRanker {
public:
  EqualRanker() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }

  void run(const Batch &batch) {
    if (!exec_)
      record(batch.rows);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void record(int n) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    score<<<(n + 255) / 256, 256, 0, stream_>>>(data_, 0);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }

  cudaStream_t stream_;
  float *data_;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  Ranker ranker;
  Batch small{100}, large{300};
  ranker.run(small);
  ranker.run(large);
  EqualRanker equal;
  Batch first{100}, second{100};
  equal.run(first);
  equal.run(second);
}
