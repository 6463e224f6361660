// Legal: a helper receives the parameters of the node by reference, and passes
// them to CUDA.

// RUN: %check %s cudagraph-frozen-argument --real-std
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=UNSET -- -DUNSET

#include "cuda_runtime.h"

__global__ void diffuse(double *x, double alpha);

class Rod {
public:
  void prepare() {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal))
      return;
    diffuse<<<1, 1, 0, s_>>>(x_, alpha_);
    // CHECK-MESSAGES-UNSET: :[[@LINE-1]]:5: warning: argument 'alpha_' of kernel 'diffuse' is set by 'Rod::setAlpha' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *nodes;
    size_t count;
    if (cudaStreamGetCaptureInfo(s_, &status, nullptr, nullptr, &nodes, nullptr,
                                 &count) == cudaSuccess &&
        count == 1)
      node_ = nodes[0];
    if (cudaStreamEndCapture(s_, &g))
      return;
    if (cudaGraphInstantiate(&exec_, g, 0))
      return;
  }
  void run() {
    if (cudaGraphLaunch(exec_, s_))
      return;
  }
  void setAlpha(double alpha) {
    alpha_ = alpha;
#ifndef UNSET
    void *args[] = {&x_, &alpha_};
    cudaKernelNodeParams p{};
    p.func = reinterpret_cast<void *>(&diffuse);
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = args;
    set(p);
#endif
  }

private:
  void set(const cudaKernelNodeParams &p) {
    if (cudaGraphExecKernelNodeSetParams(exec_, node_, &p))
      return;
  }
  cudaStream_t s_ = nullptr;
  cudaGraphNode_t node_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  double alpha_ = 1;
  double *x_ = nullptr;
};
