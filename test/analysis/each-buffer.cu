// A loop over the addresses of several members allocates memory for each: the
// members have different buffers, which may be freed or swapped separately.

// RUN: %check %s cudagraph-* --real-std --confidence=likely

#include <cuda_runtime.h>
#include <utility>

__global__ void step(const float *from, float *to);
__global__ void blur(const float *from, float *to);
__global__ void mix(const float *from, float *to);

struct Buffers {
  float *front = nullptr, *back = nullptr, *other = nullptr;
  cudaStream_t s;
  cudaGraphExec_t exec = nullptr;

  Buffers() {
    (void)cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (float **each : {&front, &back, &other})
      (void)cudaMalloc(each, 1024);
  }
  void finish() {
    cudaGraph_t graph = nullptr;
    (void)cudaStreamEndCapture(s, &graph);
    (void)cudaGraphInstantiate(&exec, graph, 0);
    (void)cudaGraphDestroy(graph);
  }
};

class Filter {
public:
  void run() {
    if (!b.exec) {
      (void)cudaStreamBeginCapture(b.s, cudaStreamCaptureModeGlobal);
      step<<<1, 256, 0, b.s>>>(b.front, b.back);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the address 'b.front' of kernel 'step'
      b.finish();
    }
    (void)cudaGraphLaunch(b.exec, b.s);
    std::swap(b.front, b.back);
  }

private:
  Buffers b;
};

void freed() {
  Buffers b;
  (void)cudaStreamBeginCapture(b.s, cudaStreamCaptureModeGlobal);
  blur<<<1, 256, 0, b.s>>>(b.front, b.back);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'blur' uses 'b.back', which 'freed' frees
  b.finish();
  (void)cudaFree(b.back);
  (void)cudaGraphLaunch(b.exec, b.s);
}

void notUsed() {
  Buffers b;
  (void)cudaStreamBeginCapture(b.s, cudaStreamCaptureModeGlobal);
  mix<<<1, 256, 0, b.s>>>(b.front, b.back);
  b.finish();
  (void)cudaFree(b.other);
  (void)cudaGraphLaunch(b.exec, b.s);
}

int main() {
  Filter filter;
  filter.run();
  filter.run();
  freed();
  notUsed();
  return 0;
}
