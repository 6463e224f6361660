// Tables that are assigned or swapped have unknown keys: the stream may be the
// capturing one.

// RUN: %check %s --real-std --suffix=LEGAL
// RUN: %check %s --real-std --suffix=LEGAL -- -DSWAP
// RUN: %check %s --real-std --suffix=LEGAL -- -DMETHOD
// RUN: %check %s --real-std -- -DNEITHER

#include "cuda_runtime.h"
#include <map>
#include <string>
#include <utility>

__global__ void fill(float *To) { To[threadIdx.x] = 1; }

int main(int Count, char **Names) {
  std::map<std::string, cudaStream_t> Streams, Others;
  cudaStream_t First, Second;
  float *Data;
  cudaGraph_t Graph;
  if (cudaStreamCreate(&First) || cudaStreamCreate(&Second) ||
      cudaMalloc(&Data, 1024))
    return 1;
  Streams.emplace("main", First);
  Others.emplace(Names[0], Second);
#if defined(SWAP)
  if (Count > 1)
    std::swap(Streams, Others);
#elif defined(METHOD)
  if (Count > 1)
    Streams.swap(Others);
#elif !defined(NEITHER)
  Streams = Others;
#endif
  cudaStream_t Used = Streams.count("main") ? First : Second;
  if (cudaStreamBeginCapture(Second, cudaStreamCaptureModeRelaxed))
    return 1;
  fill<<<1, 32, 0, Used>>>(Data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'fill' is launched on stream 'Used', which is not part of the capture of 'Second'; CUDA returns success, but the work runs once, at capture, and is not in the graph
  return cudaStreamEndCapture(Second, &Graph);
}
