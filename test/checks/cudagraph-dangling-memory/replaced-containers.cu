// A container that receives the elements of another container frees its own
// memory, which a captured copy reads.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <cuda_runtime.h>
#include <utility>
#include <vector>

static std::vector<float> table(float gamma) {
  return std::vector<float>(256, gamma);
}

class Mapper {
public:
  Mapper() {
    cudaStreamCreate(&stream_);
    cudaMalloc(&device_, 1024);
    lut_ = table(1.f);
  }
  void setGamma(float gamma) { lut_ = table(gamma); }
  void frame() {
    if (!exec_)
      record();
    cudaGraphLaunch(exec_, stream_);
    cudaStreamSynchronize(stream_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(device_, lut_.data(), 1024, cudaMemcpyHostToDevice, stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'lut_', which 'Mapper::setGamma' frees
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  float *device_;
  std::vector<float> lut_;
};

// The graph is captured again.
class Recording {
public:
  Recording() {
    cudaStreamCreate(&stream_);
    cudaMalloc(&device_, 1024);
    lut_ = table(1.f);
  }
  void setGamma(float gamma) {
    lut_ = table(gamma);
    if (exec_)
      cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  void frame() {
    if (!exec_)
      record();
    cudaGraphLaunch(exec_, stream_);
    cudaStreamSynchronize(stream_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(device_, lut_.data(), 1024, cudaMemcpyHostToDevice, stream_);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  float *device_;
  std::vector<float> lut_;
};

// The elements are set in place.
class InPlace {
public:
  InPlace() : lut_(256) {
    cudaStreamCreate(&stream_);
    cudaMalloc(&device_, 1024);
  }
  void setGamma(float gamma) {
    for (float &x : lut_)
      x = gamma;
  }
  void frame() {
    if (!exec_)
      record();
    cudaGraphLaunch(exec_, stream_);
    cudaStreamSynchronize(stream_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(device_, lut_.data(), 1024, cudaMemcpyHostToDevice, stream_);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  float *device_;
  std::vector<float> lut_;
};

int main() {
  Mapper m;
  m.frame();
  m.setGamma(2.f);
  m.frame();
  Recording r;
  r.frame();
  r.setGamma(2.f);
  r.frame();
  InPlace p;
  p.frame();
  p.setGamma(2.f);
  p.frame();
}
