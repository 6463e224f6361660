// A loop over the elements of a container enqueues work before the capture. Each
// element has its workspace afterwards: no path skips the loop.

// RUN: %check %s cudagraph-device-allocation --real-std

#include <cuda_runtime.h>
#include <memory>
#include <vector>

__global__ void k(float *p, int n);

class Op {
public:
  virtual ~Op() { cudaFree(p); }
  virtual void forward(int n, cudaStream_t s) = 0;

protected:
  float *p = nullptr;
  int capacity = 0;
};

// Legal: the warm-up allocates.
class Relu : public Op {
public:
  void forward(int n, cudaStream_t s) override {
    if (n > capacity) {
      cudaFree(p);
      cudaMalloc(&p, n);
      capacity = n;
    }
    k<<<1, 32, 0, s>>>(p, n);
  }
};

// The size is larger during the capture.
class Tanh : public Op {
public:
  void forward(int n, cudaStream_t s) override {
    if (n > capacity) {
      cudaMalloc(&p, n);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, thread-local mode) captures
      capacity = n;
    }
    k<<<1, 32, 0, s>>>(p, n);
  }
};

// There is no warm-up.
class Sigmoid : public Op {
public:
  void forward(int n, cudaStream_t s) override {
    if (n > capacity) {
      cudaMalloc(&p, n);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, thread-local mode) captures
      capacity = n;
    }
    k<<<1, 32, 0, s>>>(p, n);
  }
};

using Ops = std::vector<std::unique_ptr<Op>>;

void capture(Ops &ops, int n, cudaStream_t s) {
  cudaGraph_t g;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    return;
  for (auto &op : ops)
    op->forward(n, s);
  if (cudaStreamEndCapture(s, &g))
    return;
}
void warmUp(Ops &ops, int n, cudaStream_t s) {
  for (auto &op : ops)
    op->forward(n, s);
}

int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Ops relu, tanh, sigmoid;
  relu.push_back(std::make_unique<Relu>());
  warmUp(relu, 256, s);
  capture(relu, 256, s);
  tanh.push_back(std::make_unique<Tanh>());
  warmUp(tanh, 256, s);
  capture(tanh, 512, s);
  sigmoid.push_back(std::make_unique<Sigmoid>());
  capture(sigmoid, 256, s);
}
