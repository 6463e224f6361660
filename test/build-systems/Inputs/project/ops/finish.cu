#include "step.h"

static void wait(cudaStream_t) { cudaDeviceSynchronize(); }
void finish(cudaStream_t stream) {
  wait(stream);
  settle(stream);
}
