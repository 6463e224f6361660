// A key is compared only if there is a graph: `exec && key != n`. On the path on
// which the second term is false, the key is the same.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std

#include <cuda_runtime.h>
#include <initializer_list>

__global__ void k(float *p, int n);

// Legal.
struct Plan {
  cudaStream_t s;
  float *buffer;
  cudaGraphExec_t exec;
  int n, width;
};
static void drop(Plan *p) {
  if (p->exec) {
    cudaGraphExecDestroy(p->exec);
    p->exec = nullptr;
  }
}
static cudaError_t record(Plan *p, int n, int width) {
  cudaGraph_t graph = nullptr;
  cudaError_t e =
      cudaStreamBeginCapture(p->s, cudaStreamCaptureModeThreadLocal);
  if (e != cudaSuccess)
    return e;
  k<<<(n + 31) / 32, 32, 0, p->s>>>(p->buffer, n);
  k<<<1, 32, 0, p->s>>>(p->buffer, width);
  e = cudaStreamEndCapture(p->s, &graph);
  if (e == cudaSuccess)
    e = cudaGraphInstantiate(&p->exec, graph, 0);
  if (e == cudaSuccess) {
    p->n = n;
    p->width = width;
  }
  return e;
}
static cudaError_t run(Plan *p, int n, int width) {
  cudaError_t e = cudaSuccess;
  if (p->exec && p->n != n)
    drop(p);
  if (p->exec && !(p->width == width))
    drop(p);
  if (!p->exec)
    e = record(p, n, width);
  if (e == cudaSuccess)
    e = cudaGraphLaunch(p->exec, p->s);
  return e;
}

// Only one of the two values is compared.
struct Narrow {
  cudaStream_t s;
  float *buffer;
  cudaGraphExec_t exec;
  int count, columns;
};
static void record(Narrow *p, int count, int columns) {
  cudaGraph_t graph = nullptr;
  if (cudaStreamBeginCapture(p->s, cudaStreamCaptureModeThreadLocal))
    return;
  k<<<1, 32, 0, p->s>>>(p->buffer, count);
  k<<<1, 32, 0, p->s>>>(p->buffer, columns);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'columns' of kernel 'k'
  if (cudaStreamEndCapture(p->s, &graph))
    return;
  if (cudaGraphInstantiate(&p->exec, graph, 0))
    return;
  p->count = count;
}
static void run(Narrow *p, int count, int columns) {
  if (p->exec && p->count != count) {
    cudaGraphExecDestroy(p->exec);
    p->exec = nullptr;
  }
  if (!p->exec)
    record(p, count, columns);
  cudaGraphLaunch(p->exec, p->s);
}

int main() {
  Plan plan = {};
  Narrow narrow = {};
  cudaStreamCreate(&plan.s);
  cudaStreamCreate(&narrow.s);
  int columns = 1;
  for (int n : {5, 9, 9, 3}) {
    if (run(&plan, n, n + 2))
      break;
    run(&narrow, n, columns++);
  }
}
