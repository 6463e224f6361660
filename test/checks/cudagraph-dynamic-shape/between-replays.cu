// RUN: %check %s cudagraph-dynamic-shape
//
// Sizes that the program changes between the capture and a launch, through a
// helper or the size of a container. Earlier values cause no findings.

#include <cuda_runtime.h>
#include <vector>

__global__ void move(float *x);

static int blocks(int n) { return (n + 31) / 32; }

struct Emitter {
  int alive = 0;
  float *x = nullptr;
};

class Particles {
public:
  Particles() { cudaStreamCreate(&stream_); }
  Emitter &emitter() { return one_; }
  void spawn(int n) { one_.alive += n; }
  void add(float *buffer) { buffers_.push_back(buffer); }
  void update() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
      move<<<blocks(one_.alive), 32, 0, stream_>>>(one_.x);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'move' is computed from host state that changes between replays; replays keep the value from the capture [cudagraph-dynamic-shape]
      move<<<blocks(capacity_), 32, 0, stream_>>>(one_.x);
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  Emitter one_;
  int capacity_ = 4096;
  std::vector<float *> buffers_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  Particles p;
  for (int i = 0; i < 10; ++i) {
    p.spawn(10);
    p.update();
  }
}
