// A generation number shows whether the graph is out of date.

// RUN: %check %s

#include <cuda_runtime.h>

__global__ void kernel(float *data);

class Engine {
public:
  void reserve(size_t n) {
    if (n <= capacity_)
      return;
    cudaFree(data_);
    cudaMalloc(&data_, n);
    capacity_ = n;
    ++generation_;
  }
  void run() {
    if (!exec_ || captured_ != generation_)
      record();
    cudaGraphLaunch(exec_, s_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed);
    kernel<<<1, 32, 0, s_>>>(data_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    captured_ = generation_;
  }
  cudaStream_t s_;
  float *data_ = nullptr;
  size_t capacity_ = 0;
  unsigned generation_ = 0, captured_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
