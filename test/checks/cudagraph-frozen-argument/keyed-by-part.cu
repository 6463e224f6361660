// A table contains one graph for each key, but the key does not contain every number
// that the captured kernels receive. Calls with equal keys share a graph.

// RUN: %check %s cudagraph-frozen-argument --real-std
// REQUIRES: gxx

#include <map>

struct Shape {
  int batch, length, width;
};

__global__ void pool(float *data, int length, int width);

// The key lacks the length.
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

// Legal: the key contains every number.
struct Extent {
  int batch, length, width;
};

class PooledByAll {
public:
  PooledByAll() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  void run(const Extent &s) { cudaGraphLaunch(lookup(s), stream_); }

private:
  static long key(const Extent &s) { return long(s.length) << 32 | s.width; }

  cudaGraphExec_t lookup(const Extent &s) {
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

// Legal: the program clears the table before a call with another length.
struct Page {
  int batch, length, width;
};

class Cleared {
public:
  Cleared() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  void run(const Page &s) {
    if (s.length != length_) {
      for (auto &each : execs_)
        cudaGraphExecDestroy(each.second);
      execs_.clear();
      length_ = s.length;
    }
    cudaGraphLaunch(lookup(s), stream_);
  }

private:
  cudaGraphExec_t lookup(const Page &s) {
    auto it = execs_.find(s.batch);
    if (it != execs_.end())
      return it->second;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    pool<<<1, 64, 0, stream_>>>(data_, s.length, 8);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    execs_.emplace(s.batch, exec);
    return exec;
  }

  cudaStream_t stream_;
  float *data_;
  int length_ = -1;
  std::map<int, cudaGraphExec_t> execs_;
};

// Legal: each object has its own table, and main uses each with one length.
class Separate {
public:
  Separate() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  void run(const Shape &s) { cudaGraphLaunch(lookup(s), stream_); }

private:
  cudaGraphExec_t lookup(const Shape &s) {
    auto it = execs_.find(s.batch);
    if (it != execs_.end())
      return it->second;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    pool<<<1, 64, 0, stream_>>>(data_, s.length, 8);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    execs_.emplace(s.batch, exec);
    return exec;
  }

  cudaStream_t stream_;
  float *data_;
  std::map<int, cudaGraphExec_t> execs_;
};

int main() {
  const Shape shapes[] = {{2, 16, 32}, {4, 16, 32}, {2, 16, 48}, {2, 40, 32}};
  const Shape one{2, 16, 32}, other{2, 40, 32};
  Pooled pooled;
  pooled.run(one);
  pooled.run(other);
  const Extent few{2, 16, 32}, many{2, 40, 32};
  PooledByAll all;
  all.run(few);
  all.run(many);
  PooledByNumber numbered;
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 4; ++i)
      numbered.run(i, shapes[i]);
  const Page a{2, 16, 32}, b{2, 40, 32};
  Cleared cleared;
  cleared.run(a);
  cleared.run(b);
  cleared.run(a);
  Separate first, second;
  for (int i = 0; i < 2; ++i) {
    first.run(one);
    second.run(other);
  }
  first.run(one);
  second.run(other);
  for (const Shape &s : shapes) {
    Separate own;
    own.run(s);
    own.run(s);
  }
}
