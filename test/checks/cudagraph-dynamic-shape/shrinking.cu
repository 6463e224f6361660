// Elements removed from a container, and loops that count to a number that is
// set elsewhere.

// RUN: %check %s cudagraph-dynamic-shape,cudagraph-host-logic --real-std

#include <vector>

__global__ void k(float *x, int n);

struct Particles {
  cudaStream_t s;
  float *x;
  cudaGraphExec_t exec = nullptr;
  std::vector<int> alive;
  void kill(int i) { alive.erase(alive.begin() + i); }
  void step() {
    if (!exec) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
      k<<<alive.size(), 32, 0, s>>>(x, 0);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'k' is computed from a value that 'Particles::kill' sets while the graph exists
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&exec, g, 0);
    }
    cudaGraphLaunch(exec, s);
  }
};
// The number for which the graph was built is its key.
struct Counted {
  cudaStream_t s;
  float *x;
  cudaGraphExec_t exec = nullptr;
  std::vector<int> alive;
  size_t built = 0;
  void kill(int i) { alive.erase(alive.begin() + i); }
  void step() {
    if (!exec || built != alive.size()) {
      if (exec)
        cudaGraphExecDestroy(exec);
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
      k<<<alive.size(), 32, 0, s>>>(x, 0);
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&exec, g, 0);
      built = alive.size();
    }
    cudaGraphLaunch(exec, s);
  }
};

struct Solver {
  cudaStream_t s;
  float *x;
  cudaGraphExec_t exec = nullptr;
  int iterations = 4;
  void setIterations(int n) { iterations = n; }
  void step() {
    if (!exec) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
      for (int i = 0; i < iterations; ++i)
        // CHECK-MESSAGES: :[[@LINE-1]]:23: warning: 'Solver::setIterations' sets a value that the branch depends on, while the graph exists
        k<<<1, 32, 0, s>>>(x, 0);
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&exec, g, 0);
    }
    cudaGraphLaunch(exec, s);
  }
};
// The setter destroys the graph.
struct Renewed {
  cudaStream_t s;
  float *x;
  cudaGraphExec_t exec = nullptr;
  int iterations = 4;
  void setIterations(int n) {
    iterations = n;
    if (exec)
      cudaGraphExecDestroy(exec);
    exec = nullptr;
  }
  void step() {
    if (!exec) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
      for (int i = 0; i < iterations; ++i)
        k<<<1, 32, 0, s>>>(x, 0);
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&exec, g, 0);
    }
    cudaGraphLaunch(exec, s);
  }
};
// Objects are filled before they are used.
struct Passes {
  cudaStream_t s;
  cudaGraphExec_t exec = nullptr;
  std::vector<int> sizes;
  float *x;
  void step() {
    if (!exec) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
      for (int n : sizes)
        k<<<1, 32, 0, s>>>(x, n);
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&exec, g, 0);
    }
    cudaGraphLaunch(exec, s);
  }
};
void passes(cudaStream_t s, float *x) {
  Passes p{s, nullptr, {}, x};
  p.sizes.push_back(3);
  p.sizes.push_back(4);
  p.step();
  p.step();
}
