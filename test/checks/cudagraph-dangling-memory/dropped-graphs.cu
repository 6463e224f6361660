// Memory moves, and the program destroys all graphs of a table before the next
// launch: in a loop, followed by clear().

// RUN: %check %s cudagraph-dangling-memory --real-std -- -DTHESE=graphs_
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=OTHERS -- -DTHESE=others_

#include <cuda_runtime.h>
#include <map>

__global__ void use(const int *table, float *out);

class Table {
public:
  explicit Table(cudaStream_t s) : stream_(s) { ensure(2); }
  // Returns true if the memory has moved.
  bool ensure(int rows) {
    if (rows <= rows_)
      return false;
    int *grown = nullptr;
    cudaMallocAsync((void **)&grown, rows * 4, stream_);
    if (device_)
      cudaFreeAsync(device_, stream_);
    device_ = grown;
    rows_ = rows;
    cudaStreamSynchronize(stream_);
    return true;
  }
  const int *device() const { return device_; }

private:
  cudaStream_t stream_;
  int *device_ = nullptr;
  int rows_ = 0;
};

class Engine {
public:
  explicit Engine(cudaStream_t s) : stream_(s), table_(s) {
    cudaMalloc(&out_, 128);
  }
  void decode(int batch) {
    reserve();
    cudaGraphLaunch(graphFor(batch), stream_);
    cudaStreamSynchronize(stream_);
    length_++;
  }

private:
  void reserve() {
    if (table_.ensure(length_ + 1))
      drop();
  }
  cudaGraphExec_t graphFor(int batch) {
    auto found = graphs_.find(batch);
    if (found != graphs_.end())
      return found->second;
    cudaGraphExec_t exec = record();
    graphs_.emplace(batch, exec);
    return exec;
  }
  cudaGraphExec_t record() {
    cudaGraph_t graph;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    use<<<1, 32, 0, stream_>>>(table_.device(), out_);
    // CHECK-MESSAGES-OTHERS: :[[@LINE-1]]:5: warning: kernel 'use' uses 'table_.device()', which 'Table::ensure' frees
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }
  void drop() {
    for (auto &entry : THESE)
      cudaGraphExecDestroy(entry.second);
    THESE.clear();
  }

  cudaStream_t stream_;
  Table table_;
  std::map<int, cudaGraphExec_t> graphs_, others_;
  int length_ = 0;
  float *out_ = nullptr;
};

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  Engine e(s);
  for (int i = 0; i < 20; ++i)
    e.decode(i % 2 ? 2 : 4);
}
