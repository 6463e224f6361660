// Captured code advances a number: each launch should use the next number, even
// if other code launches the graph.

// RUN: %check %s cudagraph-frozen-argument

#include <cuda_runtime.h>

__global__ void kernel(float *x, unsigned seed);

struct Trainer {
  float *weights;
  cudaStream_t stream;
  cudaGraphExec_t exec;
  unsigned step = 0;
  unsigned seed = 3;
};

static void train(Trainer &t) {
  t.step++;
  kernel<<<1, 32, 0, t.stream>>>(t.weights, t.seed + t.step);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 't.seed + t.step' of kernel 'kernel' is computed from host state that changes between replays
}

static void record(Trainer &t) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(t.stream, cudaStreamCaptureModeThreadLocal);
  train(t);
  cudaStreamEndCapture(t.stream, &graph);
  cudaGraphInstantiate(&t.exec, graph, 0);
}

// Each capture numbers its nodes from 0.
struct Numbered {
  float *x;
  cudaStream_t stream;
  cudaGraphExec_t exec;
  unsigned node = 0;
  void add() {
    kernel<<<1, 32, 0, stream>>>(x, node);
    ++node;
  }
  void record() {
    node = 0;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    add();
    add();
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
  }
};

int main() {
  Trainer t;
  cudaStreamCreate(&t.stream);
  cudaMalloc(&t.weights, 128);
  record(t);
  for (int i = 0; i < 5; ++i)
    cudaGraphLaunch(t.exec, t.stream);
  Numbered n;
  cudaStreamCreate(&n.stream);
  cudaMalloc(&n.x, 128);
  n.record();
  for (int i = 0; i < 5; ++i)
    cudaGraphLaunch(n.exec, n.stream);
}
