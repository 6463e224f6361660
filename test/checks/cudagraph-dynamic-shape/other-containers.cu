// Several containers are passed by reference, and their sizes are unknown. The size of
// the first one determines the launch, and each later call launches the same graph.

// RUN: %check %s cudagraph-dynamic-shape
// RUN: %if gxx %{ %check %s cudagraph-dynamic-shape --real-std %}

#include <map>
#include <vector>

__global__ void score(float *data);

struct Batch {
  std::vector<float> values;
  size_t size() const { return values.size(); }
};

class Scorer {
public:
  Scorer() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }

  void run(const Batch &batch) {
    if (!exec_)
      record(batch);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void record(const Batch &batch) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    score<<<unsigned(batch.size()), 32, 0, stream_>>>(data_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'score' is computed from parameter 'batch' of 'Scorer::run', whose later calls launch the graph of an earlier call
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }

  cudaStream_t stream_;
  float *data_;
  cudaGraphExec_t exec_ = nullptr;
};

// Legal: main passes the same container each time.
class ScorerOfOne {
public:
  ScorerOfOne() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }

  void run(const Batch &batch) {
    if (!exec_)
      record(batch);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void record(const Batch &batch) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    score<<<unsigned(batch.size()), 32, 0, stream_>>>(data_);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }

  cudaStream_t stream_;
  float *data_;
  cudaGraphExec_t exec_ = nullptr;
};

// Legal: there is one graph for each size.
struct Rows {
  std::vector<float> values;
  size_t size() const { return values.size(); }
};

class ScorerBySize {
public:
  ScorerBySize() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }

  void run(const Rows &batch) {
    cudaGraphExec_t &exec = execs_[batch.size()];
    if (!exec)
      record(batch, exec);
    cudaGraphLaunch(exec, stream_);
  }

private:
  void record(const Rows &batch, cudaGraphExec_t &exec) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    score<<<unsigned(batch.size()), 32, 0, stream_>>>(data_);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }

  cudaStream_t stream_;
  float *data_;
  std::map<size_t, cudaGraphExec_t> execs_;
};

int main() {
  Batch one, other;
  one.values.resize(5);
  other.values.resize(8);
  Scorer scorer;
  scorer.run(one);
  scorer.run(other);
  ScorerOfOne same;
  for (int i = 0; i < 10; ++i)
    same.run(one);
  ScorerBySize table;
  Rows few, many;
  few.values.resize(5);
  many.values.resize(8);
  table.run(few);
  table.run(many);
}
