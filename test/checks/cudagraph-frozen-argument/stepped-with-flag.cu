// A function that changes a value and sets the flag that causes a new capture leaves no
// graph with the old value. An update gives the executable graph the values of the new
// capture, but not those of later changes.

// RUN: %check %s cudagraph-frozen-argument

#include <cuda_runtime.h>

__global__ void integrate(float *x, int count, float step);

class Solver {
public:
  void add(int n) {
    count_ += n;
    stale_ = true;
  }
  void refine() {
    step_ *= 0.5f;
    stale_ = true;
  }
  void run() {
    if (stale_)
      record();
    cudaGraphLaunch(exec_, s_);
  }

private:
  void record() {
    if (exec_)
      cudaGraphExecDestroy(exec_);
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    integrate<<<1, 1, 0, s_>>>(x_, count_, step_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    stale_ = false;
  }
  cudaStream_t s_;
  float *x_ = nullptr;
  int count_ = 0;
  float step_ = 1;
  bool stale_ = true;
  cudaGraphExec_t exec_ = nullptr;
};

// One function does not set the flag.
class Careless {
public:
  void add(int n) {
    count_ += n;
    stale_ = true;
  }
  void refine() { step_ *= 0.5f; }
  void run() {
    if (stale_)
      record();
    cudaGraphLaunch(exec_, s_);
  }

private:
  void record() {
    if (exec_)
      cudaGraphExecDestroy(exec_);
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    integrate<<<1, 1, 0, s_>>>(x_, count_, step_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'step_' of kernel 'integrate' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    stale_ = false;
  }
  cudaStream_t s_;
  float *x_ = nullptr;
  int count_ = 0;
  float step_ = 1;
  bool stale_ = true;
  cudaGraphExec_t exec_ = nullptr;
};

struct Camera {
  cudaStream_t s;
  float *x = nullptr;
  float zoom = 1;
  bool moved = true;
  cudaGraphExec_t exec = nullptr;
};

static void refresh(Camera &c) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(c.s, cudaStreamCaptureModeThreadLocal);
  integrate<<<1, 1, 0, c.s>>>(c.x, 1, c.zoom);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'c.zoom' of kernel 'integrate' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
  cudaStreamEndCapture(c.s, &graph);
  cudaGraphExecUpdateResultInfo info;
  if (c.exec)
    cudaGraphExecUpdate(c.exec, graph, &info);
  else
    cudaGraphInstantiate(&c.exec, graph, 0);
  cudaGraphDestroy(graph);
}

static void show(Camera &c) {
  if (c.moved) {
    refresh(c);
    c.moved = false;
  }
  cudaGraphLaunch(c.exec, c.s);
}

void play() {
  Camera c;
  show(c);
  c.moved = true;
  show(c);
  c.zoom += 1;
  show(c);
}

// The same, but the function sets the flag.
static void refreshed(Camera &c) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(c.s, cudaStreamCaptureModeThreadLocal);
  integrate<<<1, 1, 0, c.s>>>(c.x, 1, c.zoom);
  cudaStreamEndCapture(c.s, &graph);
  cudaGraphExecUpdateResultInfo info;
  if (c.exec)
    cudaGraphExecUpdate(c.exec, graph, &info);
  else
    cudaGraphInstantiate(&c.exec, graph, 0);
  cudaGraphDestroy(graph);
}

void playAll() {
  Camera c;
  for (int i = 0; i < 3; ++i) {
    refreshed(c);
    cudaGraphLaunch(c.exec, c.s);
    c.zoom += 1;
  }
}
