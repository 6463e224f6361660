// Sizes and launch configurations that differ when the graph is launched: set,
// counted, passed by later calls, or read from the device. A value that selects
// the graph, or causes a new capture, may vary.

// RUN: %check %s cudagraph-dynamic-shape
// RUN: %if gxx %{ %check %s cudagraph-dynamic-shape --real-std %}

#include <map>
#include <vector>

__global__ void softmax(float *x);

// A setter.
class WithSetter {
public:
  explicit WithSetter(cudaStream_t s) : stream_(s) {}
  void set_batch(int batch) {
    batch_ = batch;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is set here
  }
  void capture(float *x, const float *y) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    softmax<<<batch_, 32, 0, stream_>>>(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'softmax' is computed from a value that 'WithSetter::set_batch' sets while the graph exists; replays keep the value from the capture [cudagraph-dynamic-shape]
    cudaMemcpyAsync(x, y, batch_ * sizeof(float), cudaMemcpyDeviceToDevice, stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the size given to 'cudaMemcpyAsync' is computed from a value that 'WithSetter::set_batch' sets while the graph exists; replays keep the value from the capture [cudagraph-dynamic-shape]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  int batch_ = 1;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// A length that grows with each step.
class Counter {
public:
  explicit Counter(cudaStream_t s) : stream_(s) {}
  void capture(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    softmax<<<length_ / 32 + 1, 32, 0, stream_>>>(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'softmax' is computed from host state that changes between replays; replays keep the value from the capture [cudagraph-dynamic-shape]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void step() {
    ++length_;
    cudaGraphLaunch(exec_, stream_);
  }

private:
  int length_ = 0;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// A parameter of a function whose first call captures.
class Parameter {
public:
  void run(float *x, int rows, cudaStream_t s) {
  // CHECK-NOTES: :[[@LINE-1]]:8: note: nothing compares 'rows' with the value at capture
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      softmax<<<rows, 32, 0, s>>>(x);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'softmax' is computed from parameter 'rows' of 'Parameter::run', whose later calls launch the graph of an earlier call, with the size of that call [cudagraph-dynamic-shape]
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s);
  }

private:
  cudaGraphExec_t exec_ = nullptr;
};

// The key of the cache lacks one of two sizes.
class PartlyKeyed {
public:
  void run(float *x, int batch, int length, cudaStream_t s) {
    if (!exec_ || batch != batch_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      softmax<<<batch, 32, 0, s>>>(x);
      cudaMemsetAsync(x, 0, length * sizeof(float), s);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the size given to 'cudaMemsetAsync' is computed from parameter 'length' of 'PartlyKeyed::run', whose later calls launch the graph of an earlier call, with the size of that call [cudagraph-dynamic-shape]
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
      batch_ = batch;
    }
    cudaGraphLaunch(exec_, s);
  }

private:
  int batch_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// A number read back from the device.
void read_back(float *x, const int *count, cudaStream_t s, cudaGraph_t *graph) {
  int rows = 0;
  cudaMemcpy(&rows, count, sizeof(rows), cudaMemcpyDeviceToHost);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: the value is read here
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  softmax<<<rows, 32, 0, s>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'softmax' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, graph);
}

// The number of elements of a container to which other functions append.
class Prompt {
public:
  Prompt(int *device, cudaStream_t s) : device_(device), stream_(s) {
    ids_.reserve(4096);
  }
  void append(int token) {
    ids_.push_back(token);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is set here
  }
  void forward(float *x) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
      softmax<<<(int)ids_.size(), 32, 0, stream_>>>(x);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'softmax' is computed from a value that 'Prompt::append' sets while the graph exists; replays keep the value from the capture [cudagraph-dynamic-shape]
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  std::vector<int> ids_;
  int *device_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// A local variable with a different value at the launch.
void local_variable(float *x, int steps, cudaStream_t s) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int rows = 1;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(x, 0, rows, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the size given to 'cudaMemsetAsync' is computed from 'rows', {{.*}} [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (rows = 2; rows < steps; ++rows)
    // CHECK-NOTES: :[[@LINE-1]]:8: note: it changes here
    cudaGraphLaunch(exec, s);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: the graph is launched here
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
}

// Sizes that do not change.
class Fixed {
public:
  Fixed(int rows, cudaStream_t s) : rows_(rows), stream_(s) {}
  void capture(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    softmax<<<rows_, 32, 0, stream_>>>(x);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  const int rows_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// The key has both sizes.
class Keyed {
public:
  void run(float *x, int batch, int length, cudaStream_t s) {
    if (!exec_ || batch != batch_ || length != length_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      softmax<<<batch, 32, 0, s>>>(x);
      cudaMemsetAsync(x, 0, length * sizeof(float), s);
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
      batch_ = batch;
      length_ = length;
    }
    cudaGraphLaunch(exec_, s);
  }

private:
  int batch_ = 0, length_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// The graph is captured again when the size is set.
class Recaptured {
public:
  explicit Recaptured(cudaStream_t s) : stream_(s) {}
  void set_rows(int rows, float *x) {
    rows_ = rows;
    capture(x);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  void capture(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    softmax<<<rows_, 32, 0, stream_>>>(x);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  int rows_ = 1;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// The key consists of parts that are passed by reference.
struct Request {
  int batch, length;
};
struct Key {
  Key(const int &batch, const int &length);
  bool operator<(const Key &) const;
};
class KeyedByParts {
public:
  void run(const Request &request) {
    const Key key(request.batch, request.length);
    auto found = graphs_.find(key);
    if (found == graphs_.end())
      found = graphs_.emplace(key, record(request)).first;
    cudaGraphLaunch(found->second, s_);
  }

private:
  cudaGraphExec_t record(const Request &request) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(x_, 0, request.batch * request.length, s_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    return exec;
  }
  cudaStream_t s_;
  float *x_;
  std::map<Key, cudaGraphExec_t> graphs_;
};
