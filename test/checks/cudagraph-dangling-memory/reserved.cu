// Memory that a container relocates when it grows, and memory that stays.

// RUN: %if gxx %{ %check %s cudagraph-dangling-memory --real-std %}

#include <deque>
#include <vector>

static void launch(cudaStream_t s) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
}

void grows(cudaStream_t s, int *d) {
  std::vector<int> values;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 16; ++i) {
    values.push_back(i);
    cudaMemcpyAsync(d + i, &values.back(), 4, cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from the elements of 'values', which 'grows' may move when the container grows; {{.*}} [cudagraph-dangling-memory]
  }
  launch(s);
}

void has_room(cudaStream_t s, int *d) {
  std::vector<int> values;
  values.reserve(16);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 16; ++i) {
    values.push_back(i);
    cudaMemcpyAsync(d + i, &values.back(), 4, cudaMemcpyHostToDevice, s);
  }
  launch(s);
}

void reserves_late(cudaStream_t s, int *d) {
  std::vector<int> values(4);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(d, values.data(), 16, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from the elements of 'values', which 'reserves_late' may move when the container grows; {{.*}} [cudagraph-dangling-memory]
  values.reserve(1024);
  launch(s);
}

// Members: elements of a deque do not move, nor do those in reserved memory.
class Scene {
public:
  explicit Scene(cudaStream_t s) : s_(s) { reserved_.reserve(64); }
  void add(int v) {
    deque_.push_back(v);
    reserved_.push_back(v);
    vector_.push_back(v);
  }
  void build() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(d_, &deque_[0], 4, cudaMemcpyHostToDevice, s_);
    cudaMemcpyAsync(d_, &reserved_[0], 4, cudaMemcpyHostToDevice, s_);
    cudaMemcpyAsync(d_, &vector_[0], 4, cudaMemcpyHostToDevice, s_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from the elements of 'vector_', which 'Scene::add' may move when the container grows; {{.*}} [cudagraph-dangling-memory]
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  void frame() { cudaGraphLaunch(exec_, s_); }

private:
  cudaStream_t s_;
  int *d_;
  cudaGraphExec_t exec_;
  std::deque<int> deque_;
  std::vector<int> reserved_, vector_;
};

// A function that destroys its own graph has not destroyed any other.
class Log {
public:
  explicit Log(cudaStream_t s) : s_(s) {}
  void add(int v) { values_.push_back(v); }
  void build() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(d_, &values_[0], 4, cudaMemcpyHostToDevice, s_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from the elements of 'values_', which 'Log::add' may move when the container grows
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void frame() { cudaGraphLaunch(exec_, s_); }

private:
  cudaStream_t s_;
  int *d_;
  cudaGraphExec_t exec_;
  std::vector<int> values_;
};
void add_and_launch(Log &log, cudaStream_t s) {
  log.add(1);
  launch(s);
  log.frame();
}

// Legal: the function destroys the graph of the object.
class Dropped {
public:
  explicit Dropped(cudaStream_t s) : s_(s) {}
  void add(int v) { values_.push_back(v); }
  void build() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(d_, &values_[0], 4, cudaMemcpyHostToDevice, s_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void frame() { cudaGraphLaunch(exec_, s_); }
  void drop() {
    cudaGraphExec_t old = exec_;
    exec_ = nullptr;
    cudaGraphExecDestroy(old);
  }

private:
  cudaStream_t s_;
  int *d_;
  cudaGraphExec_t exec_;
  std::vector<int> values_;
};
void add_and_build(Dropped &log) {
  log.add(1);
  log.drop();
  log.build();
}
