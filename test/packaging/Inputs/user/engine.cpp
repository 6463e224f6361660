#include <cuda_runtime.h>

void record(cudaStream_t stream, cudaGraph_t *graph) {
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  (void)cudaStreamSynchronize(stream);
  cudaStreamEndCapture(stream, graph);
}
