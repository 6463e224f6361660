// Memory that is replaced together with its capacity. If the capacity or the
// address is compared with the graph's record, the graph is captured again.
// Without the comparison, the graph is stale.

// RUN: %check %s cudagraph-dangling-memory,cudagraph-frozen-argument --real-std --confidence=likely

#include <cuda_runtime.h>

__global__ void append(float *x);

template <int> class Cache {
public:
  Cache() { reserve(16); }
  ~Cache() { (void)cudaFree(data_); }
  void reserve(int n) {
    if (n <= capacity_)
      return;
    float *wider = nullptr;
    if (cudaMalloc(&wider, n * sizeof(float)) != cudaSuccess)
      return;
    (void)cudaFree(data_);
    data_ = wider;
    capacity_ = n;
  }
  float *data() const { return data_; }
  int capacity() const { return capacity_; }

private:
  float *data_ = nullptr;
  int capacity_ = 0;
};

/// A separate class, because the names of members identify keys.
class Buffer {
public:
  Buffer() { reserve(16); }
  ~Buffer() { (void)cudaFree(memory_); }
  void reserve(int n) {
    if (n <= room_)
      return;
    float *wider = nullptr;
    if (cudaMalloc(&wider, n * sizeof(float)) != cudaSuccess)
      return;
    (void)cudaFree(memory_);
    memory_ = wider;
    room_ = n;
  }
  float *data() const { return memory_; }
  int capacity() const { return room_; }

private:
  float *memory_ = nullptr;
  int room_ = 0;
};

struct Graph {
  cudaStream_t s;
  cudaGraphExec_t exec = nullptr;
  Graph() { (void)cudaStreamCreate(&s); }
  void finish() {
    cudaGraph_t graph = nullptr;
    (void)cudaStreamEndCapture(s, &graph);
    (void)cudaGraphInstantiate(&exec, graph, 0);
    (void)cudaGraphDestroy(graph);
  }
  void drop() {
    if (exec)
      (void)cudaGraphExecDestroy(exec);
    exec = nullptr;
  }
};

class ByCapacity {
public:
  void run(int n) {
    cache.reserve(n);
    if (recordedFor != cache.capacity())
      graph.drop();
    if (!graph.exec) {
      (void)cudaStreamBeginCapture(graph.s, cudaStreamCaptureModeThreadLocal);
      append<<<1, 1, 0, graph.s>>>(cache.data());
      graph.finish();
      recordedFor = cache.capacity();
    }
    (void)cudaGraphLaunch(graph.exec, graph.s);
  }

private:
  Cache<0> cache;
  Graph graph;
  int recordedFor = 0;
};

/// The map may be replaced between two calls.
class ByAddress {
public:
  Cache<0> cache;
  void run() {
    float *x = cache.data();
    if (!graph.exec || x != recorded) {
      graph.drop();
      (void)cudaStreamBeginCapture(graph.s, cudaStreamCaptureModeThreadLocal);
      append<<<1, 1, 0, graph.s>>>(x);
      graph.finish();
      recorded = x;
    }
    (void)cudaGraphLaunch(graph.exec, graph.s);
  }

private:
  Graph graph;
  float *recorded = nullptr;
};

class Once {
public:
  Buffer cache;
  void run() {
    if (!graph.exec) {
      (void)cudaStreamBeginCapture(graph.s, cudaStreamCaptureModeThreadLocal);
      append<<<1, 1, 0, graph.s>>>(cache.data());
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: kernel 'append' uses 'cache.data()', which 'Buffer::reserve' frees
      // CHECK-MESSAGES: :[[@LINE-2]]:7: warning: the address 'cache.data()' of kernel 'append' is set by 'Buffer::reserve'
      graph.finish();
    }
    (void)cudaGraphLaunch(graph.exec, graph.s);
  }

private:
  Graph graph;
};

int main() {
  ByCapacity first;
  ByAddress second;
  Once third;
  for (int n = 8; n < 64; n += 8) {
    first.run(n);
    second.cache.reserve(n);
    second.run();
    third.cache.reserve(n);
    third.run();
  }
  return 0;
}
