// The graph of one object does not depend on the members of another object.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <functional>
#include <vector>

__global__ void k(float *x, float rate);

struct Panel {
  Panel() {
    cudaStreamCreate(&s);
    hooks.push_back([this](int v) { rate = v; });
    hooks.push_back([this](int) { drop(); });
  }
  void drop() {
    if (e)
      cudaGraphExecDestroy(e);
    e = nullptr;
  }
  void run() {
    for (int i = 0; i < 10; ++i) {
      for (auto &hook : hooks)
        hook(i);
      step();
    }
  }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  std::vector<std::function<void(int)>> hooks;
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};

struct Gauge {
  Gauge() { cudaStreamCreate(&s); }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate' of kernel 'k' is set by 'main' while the graph exists
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};

struct Dial {
  Dial() { cudaStreamCreate(&s); }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};

int main() {
  Panel left;
  left.run();
  Panel right;
  right.run();

  Gauge first, second;
  first.step();
  second.step();
  second.rate = 2;
  second.step();

  Dial one, other;
  one.step();
  other.rate = 2;
  other.step();
  one.step();
}
