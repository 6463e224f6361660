#include "helper.h"

__global__ void scale(float *x, int n);

struct Engine {
  cudaStream_t stream;
  float *x;
  int n;

  void record();
  void step();
};

void Engine::record() {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  step();
  cudaStreamEndCapture(stream, &graph);
}

void Engine::step() {
  scale<<<1, 256>>>(x, n);
  waitFor(stream);
}
