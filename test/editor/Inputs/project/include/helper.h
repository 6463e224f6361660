#pragma once
#include <cuda_runtime.h>

inline void waitFor(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
}
