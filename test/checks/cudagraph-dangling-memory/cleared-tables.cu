// A table of graphs that is cleared: its graphs no longer exist, and the program
// captures again.

// RUN: %check %s cudagraph-dangling-memory,cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <map>
#include <memory>

__global__ void kernel(float *x);

struct Destroy {
  void operator()(CUgraphExec_st *e) const { cudaGraphExecDestroy(e); }
};
using Exec = std::unique_ptr<CUgraphExec_st, Destroy>;

static cudaGraphExec_t record(cudaStream_t s, float *x) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  kernel<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  return exec;
}

struct Owners {
  cudaStream_t stream;
  float *buffer;
  int capacity = 2;
  std::map<int, Exec> graphs;
  Owners() { cudaMalloc(&buffer, 4); }
  void grow() {
    graphs.clear();
    cudaFree(buffer);
    cudaMalloc(&buffer, 400);
  }
  void run(int n, int needed) {
    if (needed > capacity)
      grow();
    auto &exec = graphs[n];
    if (!exec)
      exec = Exec(record(stream, buffer));
    cudaGraphLaunch(exec.get(), stream);
  }
};

void owners() {
  Owners o;
  o.run(2, 1);
  o.run(2, 3);
}

// A different table is cleared.
struct Kept {
  cudaStream_t stream;
  float *buffer;
  int capacity = 2;
  std::map<int, Exec> graphs, others;
  Kept() { cudaMalloc(&buffer, 4); }
  void grow() {
    others.clear();
    cudaFree(buffer);
    cudaMalloc(&buffer, 400);
  }
  void run(int n, int needed) {
    if (needed > capacity)
      grow();
    auto &exec = graphs[n];
    if (!exec) {
      cudaGraph_t graph;
      cudaGraphExec_t made;
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
      kernel<<<1, 32, 0, stream>>>(buffer);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: kernel 'kernel' uses 'buffer', which 'Kept::grow' frees
      // CHECK-MESSAGES: :[[@LINE-2]]:7: warning: the address 'buffer' of kernel 'kernel' is set by 'Kept::grow' while the graph exists
      cudaStreamEndCapture(stream, &graph);
      cudaGraphInstantiate(&made, graph, 0);
      cudaGraphDestroy(graph);
      exec = Exec(made);
    }
    cudaGraphLaunch(exec.get(), stream);
  }
};

void kept() {
  Kept k;
  k.run(2, 1);
  k.run(2, 3);
}
