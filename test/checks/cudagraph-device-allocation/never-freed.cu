// Memory that a graph allocates and that is not freed before the next launch.

// RUN: %check %s cudagraph-device-allocation --real-std

#include <cuda_runtime.h>
#include <memory>
#include <vector>

__global__ void fill(float *x, int n);
__global__ void sum(const float *x, float *y, int n);

cudaGraphExec_t instantiate(cudaStream_t s, unsigned flags) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  if (cudaStreamEndCapture(s, &graph) == cudaSuccess)
    (void)cudaGraphInstantiate(&exec, graph, flags);
  (void)cudaGraphDestroy(graph);
  return exec;
}

/// A graph that is launched again by later calls.
struct Reduction {
  cudaStream_t stream;
  float *out;
  int n;
  cudaGraphExec_t exec = nullptr;

  void record() {
    float *scratch = nullptr;
    if (cudaMallocAsync(&scratch, n * sizeof(float), stream) != cudaSuccess)
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaMallocAsync' allocates graph memory that is never freed; CUDA returns cudaErrorInvalidValue (1) at the second launch of the graph
      return;
    fill<<<1, 256, 0, stream>>>(scratch, n);
    sum<<<1, 256, 0, stream>>>(scratch, out, n);
  }
  void run() {
    if (!exec) {
      if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) !=
          cudaSuccess)
        return;
      record();
      exec = instantiate(stream, 0);
    }
    (void)cudaGraphLaunch(exec, stream);
  }
};

/// The same, but the graph frees the memory.
struct Freed : Reduction {
  void record() {
    float *scratch = nullptr;
    if (cudaMallocAsync(&scratch, n * sizeof(float), stream) != cudaSuccess)
      return;
    fill<<<1, 256, 0, stream>>>(scratch, n);
    sum<<<1, 256, 0, stream>>>(scratch, out, n);
    (void)cudaFreeAsync(scratch, stream);
  }
  void run() {
    if (!exec) {
      if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) !=
          cudaSuccess)
        return;
      record();
      exec = instantiate(stream, 0);
    }
    (void)cudaGraphLaunch(exec, stream);
  }
};

/// The same, but an owner frees the memory in the capture.
struct Release {
  cudaStream_t stream;
  void operator()(float *p) const { (void)cudaFreeAsync(p, stream); }
};
struct Owned : Reduction {
  void record() {
    float *p = nullptr;
    if (cudaMallocAsync(&p, n * sizeof(float), stream) != cudaSuccess)
      return;
    std::unique_ptr<float, Release> scratch(p, Release{stream});
    fill<<<1, 256, 0, stream>>>(scratch.get(), n);
    sum<<<1, 256, 0, stream>>>(scratch.get(), out, n);
  }
  void run() {
    if (!exec) {
      if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) !=
          cudaSuccess)
        return;
      record();
      exec = instantiate(stream, 0);
    }
    (void)cudaGraphLaunch(exec, stream);
  }
};

/// The same, but each launch frees the memory of the previous one.
struct ByFlag : Reduction {
  void run() {
    if (!exec) {
      if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) !=
          cudaSuccess)
        return;
      float *scratch = nullptr;
      if (cudaMallocAsync(&scratch, n * sizeof(float), stream) == cudaSuccess)
        sum<<<1, 256, 0, stream>>>(scratch, out, n);
      exec = instantiate(stream, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    }
    (void)cudaGraphLaunch(exec, stream);
  }
};

/// The result belongs to the caller, which frees it after each launch.
struct Result {
  cudaStream_t stream;
  float *made = nullptr;
  int n;
  cudaGraphExec_t exec = nullptr;
  void run() {
    if (!exec) {
      if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) !=
          cudaSuccess)
        return;
      if (cudaMallocAsync(&made, n * sizeof(float), stream) == cudaSuccess)
        fill<<<1, 256, 0, stream>>>(made, n);
      exec = instantiate(stream, 0);
    }
    (void)cudaGraphLaunch(exec, stream);
  }
  void done() { (void)cudaFreeAsync(made, stream); }
};

/// A list of memory that other code frees.
void freeLater(cudaStream_t stream, float *p);
struct Listed : Reduction {
  std::vector<float *> held;
  void run() {
    if (!exec) {
      if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) !=
          cudaSuccess)
        return;
      float *a = nullptr, *b = nullptr;
      if (cudaMallocAsync(&a, n * sizeof(float), stream) == cudaSuccess)
        held.push_back(a);
      if (cudaMallocAsync(&b, n * sizeof(float), stream) == cudaSuccess)
        freeLater(stream, b);
      exec = instantiate(stream, 0);
    }
    (void)cudaGraphLaunch(exec, stream);
  }
};

/// A graph that is launched once, and one that is launched twice.
void once(cudaStream_t s, float *out, int n) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
    return;
  float *scratch = nullptr;
  if (cudaMallocAsync(&scratch, n * sizeof(float), s) == cudaSuccess)
    sum<<<1, 256, 0, s>>>(scratch, out, n);
  cudaGraphExec_t exec = instantiate(s, 0);
  (void)cudaGraphLaunch(exec, s);
  (void)cudaGraphExecDestroy(exec);
}

void twice(cudaStream_t s, float *out, int n) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
    return;
  float *scratch = nullptr;
  if (cudaMallocAsync(&scratch, n * sizeof(float), s) == cudaSuccess)
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMallocAsync' allocates graph memory that is never freed; CUDA returns cudaErrorInvalidValue (1) at the second launch of the graph
    sum<<<1, 256, 0, s>>>(scratch, out, n);
  cudaGraphExec_t exec = instantiate(s, 0);
  for (int i = 0; i < 2; ++i)
    (void)cudaGraphLaunch(exec, s);
  // CHECK-NOTES: :[[@LINE-1]]:11: note: the graph is launched again here
  (void)cudaGraphExecDestroy(exec);
}

/// The memory is freed after each launch.
void between(cudaStream_t s, float *out, int n) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
    return;
  float *scratch = nullptr;
  if (cudaMallocAsync(&scratch, n * sizeof(float), s) == cudaSuccess)
    sum<<<1, 256, 0, s>>>(scratch, out, n);
  cudaGraphExec_t exec = instantiate(s, 0);
  for (int i = 0; i < 2; ++i) {
    (void)cudaGraphLaunch(exec, s);
    (void)cudaFreeAsync(scratch, s);
  }
  (void)cudaGraphExecDestroy(exec);
}
