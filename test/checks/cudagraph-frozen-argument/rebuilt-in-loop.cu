// A loop that captures each graph again leaves no old graph.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <vector>

__global__ void k(float *x, float f);
struct Layer {
  float *x = nullptr;
  cudaGraphExec_t exec = nullptr;
  bool dirty = false;
};

class Renderer {
public:
  Renderer() : layers_(3) {
    cudaStreamCreate(&s_);
    rebuild();
  }
  void setScale(float scale) {
    scale_ = scale;
    rebuild();
  }
  // Only some of the elements are rebuilt.
  void setOffset(float offset) {
    offset_ = offset;
    for (Layer &each : layers_)
      if (each.dirty)
        record(each);
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
    k<<<1, 1, 0, s_>>>(layer.x, scale_);
    k<<<1, 1, 0, s_>>>(layer.x, offset_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'offset_' of kernel 'k' is set by 'Renderer::setOffset' while the graph exists
    cudaStreamEndCapture(s_, &graph);
    if (layer.exec)
      cudaGraphExecDestroy(layer.exec);
    cudaGraphInstantiate(&layer.exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s_;
  std::vector<Layer> layers_;
  float scale_ = 1, offset_ = 0;
};

class OfThree {
public:
  OfThree() {
    cudaStreamCreate(&s_);
    setScale(1);
  }
  void setScale(float scale) {
    scale_ = scale;
    for (Layer &each : layers_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
      k<<<1, 1, 0, s_>>>(each.x, scale_);
      cudaStreamEndCapture(s_, &graph);
      if (each.exec)
        cudaGraphExecDestroy(each.exec);
      cudaGraphInstantiate(&each.exec, graph, 0);
      cudaGraphDestroy(graph);
    }
  }
  void draw() {
    for (const Layer &each : layers_)
      cudaGraphLaunch(each.exec, s_);
  }

private:
  cudaStream_t s_;
  Layer layers_[3];
  float scale_ = 1;
};

int main() {
  Renderer renderer;
  renderer.draw();
  renderer.setScale(2);
  renderer.draw();
  renderer.setOffset(3);
  renderer.draw();
  OfThree three;
  three.draw();
  three.setScale(2);
  three.draw();
}
