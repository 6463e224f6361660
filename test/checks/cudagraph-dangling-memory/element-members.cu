// Members of the elements of a container: they move with the elements when the
// container grows, and the targets of their pointers do not.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <cstddef>
#include <deque>
#include <vector>

__global__ void k(const float *u, float *x);
struct Uniforms {
  float opacity, zoom, pad[2];
};
struct Layer {
  Uniforms uniforms{};
  Uniforms *device = nullptr;
  float *pixels = nullptr;
  cudaGraphExec_t exec = nullptr;
};

// Each layer has a graph; an additional layer moves those before it.
class Growing {
public:
  Growing() { cudaStreamCreate(&s_); }
  void open(const Uniforms &initial) {
    layers_.emplace_back();
    Layer &layer = layers_.back();
    layer.uniforms = initial;
    cudaMalloc(&layer.device, sizeof(Uniforms));
    record(layer);
  }
  void draw() {
    for (const Layer &each : layers_)
      cudaGraphLaunch(each.exec, s_);
  }

private:
  void record(Layer &layer) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(layer.device, &layer.uniforms, sizeof(Uniforms),
                    cudaMemcpyHostToDevice, s_);
    // CHECK-MESSAGES: :[[@LINE-2]]:5: warning: 'cudaMemcpyAsync' copies from the elements of 'layers_', which 'Growing::open' may move when the container grows
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&layer.exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s_;
  std::vector<Layer> layers_;
};

class Stable {
public:
  Stable() { cudaStreamCreate(&s_); }
  void open(const Uniforms &initial) {
    layers_.emplace_back();
    Layer &layer = layers_.back();
    layer.uniforms = initial;
    cudaMalloc(&layer.device, sizeof(Uniforms));
    record(layer);
  }
  void draw() {
    for (const Layer &each : layers_)
      cudaGraphLaunch(each.exec, s_);
  }

private:
  void record(Layer &layer) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(layer.device, &layer.uniforms, sizeof(Uniforms),
                    cudaMemcpyHostToDevice, s_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&layer.exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s_;
  std::deque<Layer> layers_;
};

class Reserved {
public:
  Reserved() {
    cudaStreamCreate(&s_);
    layers_.reserve(16);
  }
  void open(const Uniforms &initial) {
    layers_.emplace_back();
    Layer &layer = layers_.back();
    layer.uniforms = initial;
    record(layer);
  }
  void draw() {
    for (const Layer &each : layers_)
      cudaGraphLaunch(each.exec, s_);
  }

private:
  void record(Layer &layer) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(layer.device, &layer.uniforms, sizeof(Uniforms),
                    cudaMemcpyHostToDevice, s_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&layer.exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s_;
  std::vector<Layer> layers_;
};

// All graphs are captured again.
class Rebuilt {
public:
  Rebuilt() { cudaStreamCreate(&s_); }
  void open(const Uniforms &initial) {
    layers_.emplace_back();
    layers_.back().uniforms = initial;
    rebuild();
  }
  void draw() {
    for (const Layer &each : layers_)
      cudaGraphLaunch(each.exec, s_);
  }

private:
  void rebuild() {
    for (Layer &each : layers_)
      record(each);
  }
  void record(Layer &layer) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(layer.device, &layer.uniforms, sizeof(Uniforms),
                    cudaMemcpyHostToDevice, s_);
    cudaStreamEndCapture(s_, &graph);
    if (layer.exec)
      cudaGraphExecDestroy(layer.exec);
    cudaGraphInstantiate(&layer.exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s_;
  std::vector<Layer> layers_;
};

// Only the pointers are moved.
class Pointers {
public:
  Pointers() { cudaStreamCreate(&s_); }
  void open() {
    layers_.emplace_back();
    record(layers_.back());
  }
  void draw() {
    for (const Layer &each : layers_)
      cudaGraphLaunch(each.exec, s_);
  }

private:
  void record(Layer &layer) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(layer.device, pinned_, sizeof(Uniforms),
                    cudaMemcpyHostToDevice, s_);
    cudaMemsetAsync(layer.pixels, 0, 64, s_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&layer.exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s_;
  Uniforms *pinned_ = nullptr;
  std::vector<Layer> layers_;
};

template <class R> void use() {
  R renderer;
  renderer.open(Uniforms{1});
  renderer.draw();
  renderer.open(Uniforms{2});
  renderer.draw();
}
int main() {
  use<Growing>();
  use<Stable>();
  use<Reserved>();
  use<Rebuilt>();
  Pointers pointers;
  for (int i = 0; i < 3; ++i) {
    pointers.open();
    pointers.draw();
  }
}
