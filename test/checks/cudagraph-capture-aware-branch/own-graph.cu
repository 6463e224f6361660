// During a capture, the function enqueues its work; otherwise, it launches a graph of
// the same work, which it captures itself.

// RUN: %check %s cudagraph-capture-aware-branch

#include <cuda_runtime.h>

__global__ void jacobi(float *to, const float *from);
__global__ void scale(float *to, float by);

#define RETURN_IF(CALL)                                                        \
  do {                                                                         \
    cudaError_t status_ = (CALL);                                              \
    if (status_ != cudaSuccess)                                                \
      return status_;                                                          \
  } while (0)

class Smoother {
public:
  cudaError_t apply(cudaStream_t s) {
    cudaStreamCaptureStatus status;
    RETURN_IF(cudaStreamIsCapturing(s, &status));
    if (status != cudaStreamCaptureStatusNone)
      return sweeps(s);
    if (!exec_)
      RETURN_IF(record(s));
    return cudaGraphLaunch(exec_, s);
  }

private:
  cudaError_t sweeps(cudaStream_t s) {
    jacobi<<<1, 128, 0, s>>>(b_, a_);
    jacobi<<<1, 128, 0, s>>>(a_, b_);
    return cudaGetLastError();
  }
  cudaError_t record(cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    RETURN_IF(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    cudaError_t body = sweeps(s);
    cudaError_t end = cudaStreamEndCapture(s, &graph);
    cudaError_t made = cudaSuccess;
    if (body == cudaSuccess && end == cudaSuccess)
      made = cudaGraphInstantiate(&exec_, graph, 0);
    if (graph)
      cudaGraphDestroy(graph);
    return body != cudaSuccess ? body : end != cudaSuccess ? end : made;
  }
  float *a_ = nullptr, *b_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The graph contains different work.
class Other {
public:
  cudaError_t apply(cudaStream_t s) {
    cudaStreamCaptureStatus status;
    RETURN_IF(cudaStreamIsCapturing(s, &status));
    if (status != cudaStreamCaptureStatusNone)
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: while a stream captures, this enqueues 'jacobi', otherwise 'jacobi', 'scale'; unless both compute the same result, replays differ from the eager run [cudagraph-capture-aware-branch]
      return sweep(s);
    if (!exec_)
      RETURN_IF(record(s));
    return cudaGraphLaunch(exec_, s);
  }

private:
  cudaError_t sweep(cudaStream_t s) {
    jacobi<<<1, 128, 0, s>>>(b_, a_);
    return cudaGetLastError();
  }
  cudaError_t record(cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    RETURN_IF(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    cudaError_t body = sweep(s);
    scale<<<1, 128, 0, s>>>(b_, 2);
    cudaError_t end = cudaStreamEndCapture(s, &graph);
    cudaError_t made = cudaSuccess;
    if (body == cudaSuccess && end == cudaSuccess)
      made = cudaGraphInstantiate(&exec_, graph, 0);
    if (graph)
      cudaGraphDestroy(graph);
    return body != cudaSuccess ? body : end != cudaSuccess ? end : made;
  }
  float *a_ = nullptr, *b_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

void cycle(Smoother &s, Other &o, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  s.apply(stream);
  o.apply(stream);
  cudaStreamEndCapture(stream, &graph);
}
