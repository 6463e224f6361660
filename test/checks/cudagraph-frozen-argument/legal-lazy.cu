// The graph is captured on the first call only, with values that were created
// before the capture.

// RUN: %check %s

#include <cuda_runtime.h>

__global__ void kernel(float *table);

class Lazy {
public:
  void run() {
    if (!exec_) {
      if (!table_)
        cudaMalloc(&table_, 4096);
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed);
      kernel<<<1, 32, 0, s_>>>(table_);
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_;
  float *table_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// A setting that captured code reads once.
static int mode = 0;
static bool asked = false;
int setting();
static int current_mode() {
  if (!asked) {
    mode = setting();
    asked = true;
  }
  return mode;
}
__global__ void plain(float *x);
__global__ void fast(float *x);
void looks_up(float *x, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  if (current_mode() == 1)
    fast<<<1, 32, 0, s>>>(x);
  else
    plain<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, graph);
}
