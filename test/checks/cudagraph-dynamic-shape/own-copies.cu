// An object that captures its own work keeps a copy of a size. Uncaptured code would use the
// copy too, so later changes of the original do not matter. They matter if the graph is in
// another object, or if each iteration creates the object again for the same graph.

// RUN: %check %s cudagraph-dynamic-shape --real-std
// REQUIRES: gxx

#include <vector>

__global__ void kernel(float *x);
std::vector<float> next(const std::vector<float> &values);

class Forecast {
public:
  explicit Forecast(const std::vector<float> &initial) : n(static_cast<int>(initial.size())) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&x, n * sizeof(float));
    record();
  }
  void interval() { cudaGraphLaunch(exec, s); }

private:
  void record() {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    kernel<<<n, 256, 0, s>>>(x);
    cudaGraph_t graph;
    if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
      return;
  }
  int n;
  float *x = nullptr;
  cudaStream_t s = nullptr;
  cudaGraphExec_t exec = nullptr;
};

void keepsItsOwnSize() {
  std::vector<float> expected(100);
  Forecast forecast(expected);
  for (int i = 0; i < 5; ++i) {
    forecast.interval();
    expected = next(expected);
  }
}

class Engine {
public:
  Engine() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  void record(int n, float *x) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    kernel<<<n, 256, 0, s>>>(x);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'kernel' is computed from 'values', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
    cudaGraph_t graph;
    if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
      return;
  }
  void launch() { cudaGraphLaunch(exec, s); }

private:
  cudaStream_t s = nullptr;
  cudaGraphExec_t exec = nullptr;
};

void passesTheSize(float *x) {
  std::vector<float> values(100);
  Engine engine;
  engine.record(static_cast<int>(values.size()), x);
  for (int i = 0; i < 5; ++i) {
    engine.launch();
    values = next(values);
  }
}

int main() {
  keepsItsOwnSize();
  float *x;
  cudaMalloc(&x, 4096);
  passesTheSize(x);
}
