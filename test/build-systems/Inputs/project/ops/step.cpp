#include "step.h"

static void wait(cudaStream_t stream) { cudaStreamSynchronize(stream); }
void step(cudaStream_t stream) { wait(stream); }

#ifdef TWIN
void twin(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaDeviceSynchronize();
  cudaStreamEndCapture(stream, &graph);
}
#endif
