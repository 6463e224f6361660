// A table contains one graph for each key, but the key does not contain every number
// that the captured kernels receive. Calls with equal keys share a graph.

// RUN: %check %s cudagraph-frozen-argument
// RUN: %if gxx %{ %check %s cudagraph-frozen-argument --real-std %}

#include <map>

struct Shape {
  int batch, length, width;
};

__global__ void pool(float *data, int length, int width);

// The key lacks the length. The requests are elements of an array.
class Pooled {
public:
  Pooled() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  void run(const Shape &s) { cudaGraphLaunch(lookup(s), stream_); }

private:
  static long key(const Shape &s) { return long(s.batch) << 32 | s.width; }

  cudaGraphExec_t lookup(const Shape &s) {
    auto it = execs_.find(key(s));
    if (it != execs_.end())
      return it->second;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    pool<<<1, 64, 0, stream_>>>(data_, s.length, s.width);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 's.length' of kernel 'pool' has a different value when the graph is launched
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    execs_.emplace(key(s), exec);
    return exec;
  }

  cudaStream_t stream_;
  float *data_;
  std::map<long, cudaGraphExec_t> execs_;
};

// The same with two objects.
class Paired {
public:
  Paired() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  void run(const Shape &s) { cudaGraphLaunch(lookup(s), stream_); }

private:
  static int key(const Shape &s) { return s.batch; }

  cudaGraphExec_t lookup(const Shape &s) {
    auto it = execs_.find(key(s));
    if (it != execs_.end())
      return it->second;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    pool<<<1, 64, 0, stream_>>>(data_, s.length, 8);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 's.length' of kernel 'pool' has a different value when the graph is launched
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    execs_.emplace(key(s), exec);
    return exec;
  }

  cudaStream_t stream_;
  float *data_;
  std::map<int, cudaGraphExec_t> execs_;
};

// Legal: the key contains every number.
class PooledByAll {
public:
  PooledByAll() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  void run(const Shape &s) { cudaGraphLaunch(lookup(s), stream_); }

private:
  static long key(const Shape &s) { return long(s.length) << 32 | s.width; }

  cudaGraphExec_t lookup(const Shape &s) {
    auto it = execs_.find(key(s));
    if (it != execs_.end())
      return it->second;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    pool<<<1, 64, 0, stream_>>>(data_, s.length, s.width);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    execs_.emplace(key(s), exec);
    return exec;
  }

  cudaStream_t stream_;
  float *data_;
  std::map<long, cudaGraphExec_t> execs_;
};

// Legal: each shape has its own number, which is the key.
class PooledByNumber {
public:
  PooledByNumber() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
  }
  void run(int id, const Shape &s) {
    cudaGraphLaunch(lookup(id, s), stream_);
  }

private:
  cudaGraphExec_t lookup(int id, const Shape &s) {
    auto it = execs_.find(id);
    if (it != execs_.end())
      return it->second;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    pool<<<1, 64, 0, stream_>>>(data_, s.length, s.width);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    execs_.emplace(id, exec);
    return exec;
  }

  cudaStream_t stream_;
  float *data_;
  std::map<int, cudaGraphExec_t> execs_;
};

int main() {
  const Shape requests[] = {{2, 16, 32}, {4, 16, 32}, {2, 16, 48}, {2, 40, 32}};
  const Shape one{2, 16, 32}, other{2, 40, 32};
  Pooled pooled;
  for (const Shape &s : requests)
    pooled.run(s);
  Paired paired;
  paired.run(one);
  paired.run(other);
  PooledByAll all;
  for (const Shape &s : requests)
    all.run(s);
  all.run(one);
  all.run(other);
  PooledByNumber numbered;
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 4; ++i)
      numbered.run(i, requests[i]);
}
