// Nested loops do not hide the effects of later iterations of the outer loop.

// RUN: %check %s cudagraph-host-logic --real-std

#include <vector>

__global__ void approach(float *x);
__global__ void grasp(float *x);
enum class Phase { Approach, Grasp };

class Controller {
public:
  Controller() {
    cudaStreamCreate(&s_);
    cudaMalloc(&x_, 64);
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    switch (phase_) {
    // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'Controller::tick' sets a value that the branch depends on
    case Phase::Approach:
      approach<<<1, 1, 0, s_>>>(x_);
      break;
    case Phase::Grasp:
      grasp<<<1, 1, 0, s_>>>(x_);
      break;
    }
    cudaGraph_t graph;
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void tick() {
    cudaGraphLaunch(exec_, s_);
    if (phase_ == Phase::Approach && ++ticks_ == 10)
      phase_ = Phase::Grasp;
  }

private:
  Phase phase_ = Phase::Approach;
  int ticks_ = 0;
  cudaStream_t s_;
  float *x_;
  cudaGraphExec_t exec_;
};

// The phase is constant while the graph exists.
class Constant {
public:
  explicit Constant(Phase phase) : phase_(phase) {
    cudaStreamCreate(&s_);
    cudaMalloc(&x_, 64);
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    if (phase_ == Phase::Approach)
      approach<<<1, 1, 0, s_>>>(x_);
    else
      grasp<<<1, 1, 0, s_>>>(x_);
    cudaGraph_t graph;
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void tick() {
    cudaGraphLaunch(exec_, s_);
    if (++ticks_ == 10)
      ticks_ = 0;
  }

private:
  Phase phase_;
  int ticks_ = 0;
  cudaStream_t s_;
  float *x_;
  cudaGraphExec_t exec_;
};

int main() {
  Controller controller;
  Constant constant(Phase::Grasp);
  float velocity[32] = {};
  std::vector<int> right;
  int moving = 0;
  for (int t = 0; t < 30; ++t) {
    controller.tick();
    constant.tick();
    for (float v : velocity)
      moving += v > 0;
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 8; ++column)
        moving += velocity[row * 8 + column] < 0;
    right.push_back(moving);
  }
  return moving;
}
