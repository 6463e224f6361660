// RUN: %check %s cudagraph-frozen-argument
//
// Two buffers that alternate: a graph retains the addresses with which it was
// captured.

#include <cuda_runtime.h>
#include <utility>

__global__ void advance(const float *from, float *to);

class Simulation {
public:
  void step() {
    if (!exec_) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal))
        return;
      advance<<<1, 32, 0, s_>>>(now_, next_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the address 'now_' of kernel 'advance'
      if (cudaStreamEndCapture(s_, &graph))
        return;
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
    std::swap(now_, next_);
  }

private:
  cudaStream_t s_;
  cudaGraphExec_t exec_ = nullptr;
  float *now_, *next_;
};

// Another function swaps the buffers and launches the graph.
class Stepper {
public:
  void build() {
    cudaGraph_t graph;
    if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal))
      return;
    advance<<<1, 32, 0, s_>>>(now_, next_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'now_' of kernel 'advance'
    if (cudaStreamEndCapture(s_, &graph))
      return;
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void step() {
    cudaGraphLaunch(exec_, s_);
    std::swap(now_, next_);
  }

private:
  cudaStream_t s_;
  cudaGraphExec_t exec_ = nullptr;
  float *now_, *next_;
};

// Legal: there is one graph for each order of the buffers.
class Both {
public:
  void step() {
    cudaGraphExec_t &exec = execs_[turn_];
    if (!exec) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal))
        return;
      advance<<<1, 32, 0, s_>>>(now_, next_);
      if (cudaStreamEndCapture(s_, &graph))
        return;
      cudaGraphInstantiate(&exec, graph, 0);
    }
    cudaGraphLaunch(exec, s_);
    std::swap(now_, next_);
    turn_ = 1 - turn_;
  }

private:
  cudaStream_t s_;
  cudaGraphExec_t execs_[2] = {};
  int turn_ = 0;
  float *now_, *next_;
};

// Legal: the graph contains both steps.
class Unrolled {
public:
  void step() {
    if (!exec_) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal))
        return;
      for (int i = 0; i < 2; ++i) {
        advance<<<1, 32, 0, s_>>>(now_, next_);
        std::swap(now_, next_);
      }
      if (cudaStreamEndCapture(s_, &graph))
        return;
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_;
  cudaGraphExec_t exec_ = nullptr;
  float *now_, *next_;
};
