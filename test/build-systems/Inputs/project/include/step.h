#pragma once
#include <cuda_runtime.h>

void step(cudaStream_t stream);
void finish(cudaStream_t stream);
inline void settle(cudaStream_t stream) { cudaStreamQuery(stream); }
