// RUN: %check %s cudagraph-frozen-argument --real-std
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL -- -DBEFORE
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL -- -DEXEC
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL -- -DBOTH
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL -- -DAGAIN
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL -- -DUPDATE
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL -- -DUNUSED

// Parameters are set for a node of a graph after the graph was instantiated:
// the executable graph has its own. (BEFORE: they are set before the graph is
// instantiated; EXEC: in the executable graph; BOTH: in the executable graph and
// in the graph; AGAIN: the graph is instantiated again; UPDATE: the executable
// graph is updated; UNUSED: it is not launched again.)

#include "cuda_runtime.h"
#include <vector>

__global__ void scale(float *Data, float By) { Data[threadIdx.x] *= By; }

#define CHECK(CALL)                                                            \
  do {                                                                         \
    if ((CALL) != cudaSuccess)                                                 \
      return 1;                                                                \
  } while (0)

class Scaler {
public:
  int capture() {
    CHECK(cudaStreamCreate(&S));
    CHECK(cudaMalloc(&Data, 1024));
    CHECK(cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal));
    scale<<<1, 32, 0, S>>>(Data, 1.0f);
    CHECK(cudaStreamEndCapture(S, &Graph));
#ifdef BEFORE
    if (setFactor(2))
      return 1;
#endif
    CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
    return 0;
  }
  int setFactor(float By) {
    size_t Count = 0;
    CHECK(cudaGraphGetNodes(Graph, nullptr, &Count));
    std::vector<cudaGraphNode_t> Nodes(Count);
    CHECK(cudaGraphGetNodes(Graph, Nodes.data(), &Count));
    for (cudaGraphNode_t Node : Nodes) {
      void *Arguments[] = {&Data, &By};
      cudaKernelNodeParams Params = {};
      Params.func = reinterpret_cast<void *>(scale);
      Params.gridDim = dim3(1);
      Params.blockDim = dim3(32);
      Params.kernelParams = Arguments;
#if defined(EXEC) || defined(BOTH)
      CHECK(cudaGraphExecKernelNodeSetParams(Exec, Node, &Params));
#endif
#ifndef EXEC
      CHECK(cudaGraphKernelNodeSetParams(Node, &Params));
      // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'cudaGraphKernelNodeSetParams' changes a node of a graph after the graph is instantiated; CUDA returns success, but launches of the executable graph use the old parameters
      // CHECK-NOTES: :[[@LINE+15]]:11: note: the graph is launched here
      // CHECK-NOTES: :[[@LINE-3]]:13: note: set the parameters with cudaGraphExecKernelNodeSetParams, or instantiate the graph again
#endif
    }
#ifdef AGAIN
    CHECK(cudaGraphExecDestroy(Exec));
    CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
#endif
#ifdef UPDATE
    cudaGraphExecUpdateResultInfo Result;
    CHECK(cudaGraphExecUpdate(Exec, Graph, &Result));
#endif
    return 0;
  }
  int run() {
    CHECK(cudaGraphLaunch(Exec, S));
    return cudaStreamSynchronize(S);
  }

private:
  cudaStream_t S = nullptr;
  float *Data = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

int main() {
  Scaler A;
  if (A.capture() || A.run())
    return 1;
#ifndef BEFORE
  if (A.setFactor(3))
    return 1;
#endif
#ifdef UNUSED
  return 0;
#else
  return A.run();
#endif
}
