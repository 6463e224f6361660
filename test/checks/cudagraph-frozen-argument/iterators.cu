// Elements that loops visit through iterators of any kind.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <array>
#include <iterator>
#include <vector>

__global__ void step(float *x, int n);

struct Layer {
  int n;
};
struct Net {
  cudaStream_t s;
  cudaGraphExec_t exec;
  std::vector<Layer> layers, quiet;
  std::array<Layer, 2> fixed;
  Layer plain[2];

  void record() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    for (auto it = layers.cbegin(); it != layers.cend(); ++it)
      step<<<1, 32, 0, s>>>(nullptr, it->n);
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'it->n' of kernel 'step' is set by 'Net::resize' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    for (auto it = layers.crbegin(); it != layers.crend(); ++it)
      step<<<1, 32, 0, s>>>(nullptr, it->n);
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'it->n' of kernel 'step' is set by 'Net::resize' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    for (auto it = std::begin(layers); it != std::end(layers); ++it)
      step<<<1, 32, 0, s>>>(nullptr, it->n);
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'it->n' of kernel 'step' is set by 'Net::resize' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    for (auto it = std::cbegin(fixed); it != std::cend(fixed); ++it)
      step<<<1, 32, 0, s>>>(nullptr, it->n);
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'it->n' of kernel 'step' is set by 'Net::resize' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    for (auto *it = std::begin(plain); it != std::end(plain); ++it)
      step<<<1, 32, 0, s>>>(nullptr, it->n);
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'it->n' of kernel 'step' is set by 'Net::resize' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    // Legal: the elements do not change.
    for (auto it = quiet.cbegin(); it != quiet.cend(); ++it)
      step<<<1, 32, 0, s>>>(nullptr, 1);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec, g, 0);
  }
  void resize(int n) {
    for (auto &l : layers)
      l.n = n;
    for (auto &l : fixed)
      l.n = n;
    for (auto &l : plain)
      l.n = n;
  }
};
int main() {
  Net net{};
  net.layers.resize(2);
  cudaStreamCreateWithFlags(&net.s, cudaStreamNonBlocking);
  net.resize(5);
  net.record();
  for (int i = 0; i < 3; ++i) {
    net.resize(10 + i);
    cudaGraphLaunch(net.exec, net.s);
  }
}
