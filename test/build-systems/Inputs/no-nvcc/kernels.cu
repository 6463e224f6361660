#include <cublas_v2.h>
#include <nccl.h>

__global__ void kernel(float *data) { data[threadIdx.x] += 1; }

cudaError_t capture(cudaStream_t stream, float *data, cudaGraph_t *graph) {
  if (cudaError_t e =
          cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))
    return e;
  kernel<<<1, 32, 0, stream>>>(data);
  (void)cudaStreamSynchronize(stream);
  return cudaStreamEndCapture(stream, graph);
}
