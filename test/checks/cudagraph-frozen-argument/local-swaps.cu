// A captured loop alternates between two buffers by swapping pointers. Local variables of the
// function that captures no longer exist when other functions launch the graph; they matter if the
// function itself launches the graph again.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-host-logic --real-std
// REQUIRES: gxx

#include <utility>
#include <vector>

__global__ void relax(const float *from, float *to);

class Solver {
public:
  explicit Solver(int steps) : steps(steps) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&a, 4096);
    cudaMalloc(&b, 4096);
    record();
  }
  void advance() { cudaGraphLaunch(exec, s); }

  void recordAndRun() {
    float *from = a, *to = b;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    relax<<<1, 256, 0, s>>>(from, to);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'from' of kernel 'relax' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
    std::swap(from, to);
    cudaGraph_t graph;
    if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
      return;
    for (int i = 0; i < 8; ++i)
      cudaGraphLaunch(exec, s);
  }

private:
  void record() {
    float *from = a, *to = b;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    for (int i = 0; i < steps; ++i) {
      relax<<<1, 256, 0, s>>>(from, to);
      std::swap(from, to);
    }
    if (from != a) // after an odd number of steps
      cudaMemcpyAsync(a, from, 4096, cudaMemcpyDeviceToDevice, s);
    cudaGraph_t graph;
    if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
      return;
    cudaGraphDestroy(graph);
  }
  int steps;
  float *a = nullptr, *b = nullptr;
  cudaStream_t s = nullptr;
  cudaGraphExec_t exec = nullptr;
};

// The elements of a container, which an object swaps for itself.
class Textures {
public:
  void add() {
    float *x = nullptr;
    cudaMalloc(&x, 4096);
    memory.push_back(x);
  }
  float *get(int at) const { return memory[at]; }
  void exchange(int a, int b) { std::swap(memory[a], memory[b]); }

private:
  std::vector<float *> memory;
};

class Blender {
public:
  explicit Blender(int size) : current(size), other(size + 1), still(size + 2) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (int i = 0; i < size + 3; ++i)
      textures.add();
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    relax<<<1, 256, 0, s>>>(textures.get(still), textures.get(still));
    relax<<<1, 256, 0, s>>>(textures.get(current), textures.get(other));
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'textures.get(current)' of kernel 'relax' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
    textures.exchange(current, other);
    cudaGraph_t graph;
    if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
      return;
  }
  void draw() { cudaGraphLaunch(exec, s); }

private:
  Textures textures;
  int current, other, still;
  cudaStream_t s = nullptr;
  cudaGraphExec_t exec = nullptr;
};

int main(int argc, char **) {
  Blender blender(argc);
  for (int i = 0; i < 8; ++i)
    blender.draw();
  Solver once(3);
  for (int i = 0; i < 8; ++i)
    once.advance();
  Solver other(2);
  other.recordAndRun();
}
