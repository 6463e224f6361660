#include "helper.h"

__global__ void scale(float *x, int n);

void record(cudaStream_t stream, float *x, int n) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  scale<<<1, 256, 0, stream>>>(x, n);
  cudaStreamEndCapture(stream, &graph);
  waitFor(stream);
}
