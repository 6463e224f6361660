// After a call that allocates missing memory, the memory is large enough for
// calls with the same size.

// RUN: %check %s cudagraph-device-allocation

#include <cuda_runtime.h>

__global__ void apply(float *p, int n);

struct Filter {
  virtual ~Filter() {}
  virtual cudaError_t prepare(int n) { return cudaSuccess; }
  virtual cudaError_t enqueue(int n, cudaStream_t s) = 0;
};

struct Soften : Filter {
  float *Scratch = nullptr;
  int Capacity = 0;
  cudaError_t reserve(int n) {
    if (n <= Capacity)
      return cudaSuccess;
    cudaFree(Scratch);
    cudaError_t e = cudaMalloc(&Scratch, n * sizeof(float));
    Capacity = e == cudaSuccess ? n : 0;
    return e;
  }
  cudaError_t prepare(int n) override { return reserve(n); }
  cudaError_t enqueue(int n, cudaStream_t s) override {
    if (cudaError_t e = reserve(n))
      return e;
    apply<<<1, 32, 0, s>>>(Scratch, n);
    return cudaGetLastError();
  }
};

struct Sharpen : Filter {
  float *Scratch = nullptr;
  int Capacity = 0;
  cudaError_t enqueue(int n, cudaStream_t s) override {
    if (n > Capacity) {
      cudaFree(Scratch);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaFree' frees device memory
      cudaMalloc(&Scratch, n * sizeof(float));
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc' allocates device memory
      Capacity = n;
    }
    apply<<<1, 32, 0, s>>>(Scratch, n);
    return cudaGetLastError();
  }
};

cudaError_t record(Filter &f, int n, cudaStream_t s, cudaGraph_t *g) {
  if (cudaError_t e = f.prepare(n))
    return e;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaError_t e = f.enqueue(n, s);
  cudaStreamEndCapture(s, g);
  return e;
}

void go(int n, cudaStream_t s, cudaGraph_t *g) {
  Soften a;
  record(a, n, s, g);
  Sharpen b;
  record(b, n, s, g);
}
