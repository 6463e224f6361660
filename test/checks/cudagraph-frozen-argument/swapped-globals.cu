// Variables and elements that are swapped, and a selected object out of several
// that the same code creates.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <map>
#include <memory>
#include <utility>

__global__ void step(const float *from, float *to);

static float *current, *next, *fixed;
static float *ring[2];
static cudaGraphExec_t exec;

static void build(cudaStream_t s) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  step<<<1, 32, 0, s>>>(current, fixed);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the address 'current' of kernel 'step' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
  step<<<1, 32, 0, s>>>(ring[0], fixed);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the address 'ring[0]' of kernel 'step' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
  step<<<1, 32, 0, s>>>(fixed, fixed);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&exec, g, 0);
}
static void advance(cudaStream_t s, int n) {
  for (int i = 0; i < n; ++i) {
    cudaGraphLaunch(exec, s);
    std::swap(current, next);
    std::swap(ring[0], ring[1]);
  }
}

struct Adapter {
  float *down;
};
class Runner {
public:
  void add(int id) { all_[id] = std::make_unique<Adapter>(); }
  void select(int id) { active_ = all_.at(id).get(); }
  void capture(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    step<<<1, 32, 0, s>>>(active_->down, fixed);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'active_->down' of kernel 'step' is set by 'Runner::select' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void play(cudaStream_t s) { cudaGraphLaunch(exec_, s); }

private:
  std::map<int, std::unique_ptr<Adapter>> all_;
  Adapter *active_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// Legal: the object is selected before the capture only.
class Fixed {
public:
  void add(int id) { all_[id] = std::make_unique<Adapter>(); }
  void select(int id) { active_ = all_.at(id).get(); }
  void capture(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    step<<<1, 32, 0, s>>>(active_->down, fixed);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void play(cudaStream_t s) { cudaGraphLaunch(exec_, s); }

private:
  std::map<int, std::unique_ptr<Adapter>> all_;
  Adapter *active_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  build(s);
  advance(s, 2);
  Runner runner;
  runner.add(1);
  runner.add(2);
  runner.select(1);
  runner.capture(s);
  runner.play(s);
  runner.select(2);
  runner.play(s);
  Fixed once;
  once.add(1);
  once.add(2);
  once.select(1);
  once.select(2);
  once.capture(s);
  once.play(s);
  once.play(s);
}
