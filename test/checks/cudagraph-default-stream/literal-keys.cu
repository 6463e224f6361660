// RUN: %check %s cudagraph-default-stream --real-std
// RUN: %check %s cudagraph-default-stream --real-std -- -DINSERT
// RUN: %check %s cudagraph-default-stream --real-std --suffix=LEGAL -- -DONE_KEY
// RUN: %check %s cudagraph-default-stream --real-std --suffix=LEGAL -- -DINSERT -DONE_KEY

// A table has one stream for each name. Entries are added with a literal, not
// with a string, as the key. (INSERT: by insert(); ONE_KEY: both kernels are
// launched on the stream with the same name.)

#include "cuda_runtime.h"
#include <map>
#include <string>

__global__ void fill(float *To) { To[threadIdx.x] = 1; }

int main() {
  float *Data;
  cudaStream_t First, Second;
  if (cudaMalloc(&Data, 1024) || cudaStreamCreate(&First) ||
      cudaStreamCreate(&Second))
    return 1;
  std::map<std::string, cudaStream_t> Streams;
#ifdef INSERT
  Streams.insert({"main", First});
  Streams.insert({"side", Second});
#else
  Streams.emplace("main", First);
  Streams.emplace("side", Second);
#endif
  cudaStream_t Main = Streams["main"];
#ifdef ONE_KEY
  cudaStream_t Other = Streams["main"];
#else
  cudaStream_t Other = Streams["side"];
#endif
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  if (cudaStreamBeginCapture(Main, cudaStreamCaptureModeRelaxed))
    return 1;
  fill<<<1, 32, 0, Main>>>(Data);
  fill<<<1, 32, 0, Other>>>(Data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'fill' is launched on stream 'Other', which is not part of the capture of 'Main'; CUDA returns success, but the work runs once, at capture, and is not in the graph
  if (cudaStreamEndCapture(Main, &Graph) ||
      cudaGraphInstantiate(&Exec, Graph, 0))
    return 1;
  return cudaGraphLaunch(Exec, Main) || cudaGraphLaunch(Exec, Main);
}
