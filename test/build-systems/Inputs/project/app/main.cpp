#include "step.h"

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  step(stream);
  finish(stream);
  cudaStreamEndCapture(stream, &graph);
#ifdef WITH_MALLOC
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  void *memory;
  cudaMalloc(&memory, 4);
  cudaStreamEndCapture(stream, &graph);
#endif
}
