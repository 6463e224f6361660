#include <cuda_runtime.h>

cudaError_t capture(cudaStream_t stream, float *data, cudaGraph_t *graph);

int main() {
  cudaStream_t stream;
  cudaGraph_t graph;
  float *data = nullptr;
  if (cudaStreamCreate(&stream))
    return 1;
  if (capture(stream, data, &graph))
    return 1;
  return cudaDeviceSynchronize();
}
