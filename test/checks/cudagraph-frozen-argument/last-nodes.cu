// RUN: %check %s cudagraph-frozen-argument --real-std
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL -- -DEXEC
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL -- -DBEFORE

// During the capture, a query returns the node that was added last; a table
// keeps it. Its parameters are set after the graph was instantiated. (EXEC: in
// the executable graph; BEFORE: before the graph is instantiated.)

#include "cuda_runtime.h"
#include <map>
#include <string>

__global__ void scale(float *Data, float By) { Data[threadIdx.x] *= By; }

class Scaler {
public:
  int capture() {
    if (cudaStreamCreate(&Stream) || cudaMalloc(&Data, 1024) ||
        cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal))
      return 1;
    scale<<<1, 32, 0, Stream>>>(Data, 1.0f);
    Named["scale"] = last();
    if (cudaStreamEndCapture(Stream, &Graph))
      return 1;
#ifdef BEFORE
    if (setFactor(2))
      return 1;
#endif
    return cudaGraphInstantiate(&Exec, Graph, 0);
  }
  int setFactor(float By) {
    void *Arguments[] = {&Data, &By};
    cudaKernelNodeParams Params = {};
    Params.func = reinterpret_cast<void *>(scale);
    Params.gridDim = dim3(1);
    Params.blockDim = dim3(32);
    Params.kernelParams = Arguments;
#ifdef EXEC
    return cudaGraphExecKernelNodeSetParams(Exec, Named.at("scale"), &Params);
#else
    return cudaGraphKernelNodeSetParams(Named.at("scale"), &Params);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaGraphKernelNodeSetParams' changes a node of a graph after the graph is instantiated; CUDA returns success, but launches of the executable graph use the old parameters
    // CHECK-NOTES: :[[@LINE+3]]:22: note: the graph is launched here
#endif
  }
  int run() { return cudaGraphLaunch(Exec, Stream); }

private:
  cudaGraphNode_t last() const {
    cudaStreamCaptureStatus Status;
    const cudaGraphNode_t *Nodes = nullptr;
    size_t Count = 0;
    if (cudaStreamGetCaptureInfo(Stream, &Status, nullptr, nullptr, &Nodes,
                                 nullptr, &Count))
      return nullptr;
    return Count == 1 ? Nodes[0] : nullptr;
  }

  cudaStream_t Stream = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  float *Data = nullptr;
  std::map<std::string, cudaGraphNode_t> Named;
};

int main() {
  Scaler S;
  if (S.capture() || S.run())
    return 1;
#ifndef BEFORE
  if (S.setFactor(3))
    return 1;
#endif
  return S.run();
}
