// If the same call, with the same object and arguments, filled a pool before
// the capture, the pool may contain the memory. A different pool does not
// contain it, nor does a pool without a record of its contents.

// RUN: %check %s cudagraph-device-allocation --real-std --confidence=likely

#include <cuda_runtime.h>
#include <map>

__global__ void scale(float *x, int n);

template <int> class Pool {
public:
  float *block(int n) {
    auto found = blocks.find(n);
    if (found != blocks.end())
      return found->second;
    float *fresh = nullptr;
    if (cudaMalloc(&fresh, n * sizeof(float)) != cudaSuccess)
      return nullptr;
    blocks[n] = fresh;
    return fresh;
  }

private:
  std::map<int, float *> blocks;
};

void work(Pool<0> &pool, int n, cudaStream_t s) {
  scale<<<1, 256, 0, s>>>(pool.block(n), n);
}

void warm(Pool<0> &pool, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  (void)cudaStreamCreate(&s);
  work(pool, n, s);
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  work(pool, n, s);
  (void)cudaStreamEndCapture(s, &graph);
}

class Sizes {
public:
  float *block(int n) {
    auto found = blocks.find(n);
    if (found != blocks.end())
      return found->second;
    float *fresh = nullptr;
    if (cudaMalloc(&fresh, n * sizeof(float)) != cudaSuccess)
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaMalloc' allocates device memory
      return nullptr;
    blocks[n] = fresh;
    return fresh;
  }

private:
  std::map<int, float *> blocks;
};

void otherSize(Sizes &pool, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  (void)cudaStreamCreate(&s);
  scale<<<1, 256, 0, s>>>(pool.block(n), n);
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 256, 0, s>>>(pool.block(2 * n), 2 * n);
  (void)cudaStreamEndCapture(s, &graph);
}

class Objects {
public:
  float *block(int n) {
    auto found = blocks.find(n);
    if (found != blocks.end())
      return found->second;
    float *fresh = nullptr;
    if (cudaMalloc(&fresh, n * sizeof(float)) != cudaSuccess)
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaMalloc' allocates device memory
      return nullptr;
    blocks[n] = fresh;
    return fresh;
  }

private:
  std::map<int, float *> blocks;
};

void otherPool(Objects &warm, Objects &cold, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  (void)cudaStreamCreate(&s);
  scale<<<1, 256, 0, s>>>(warm.block(n), n);
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 256, 0, s>>>(cold.block(n), n);
  (void)cudaStreamEndCapture(s, &graph);
}

/// Allocates each time.
float *fresh(int n, bool zero) {
  float *p = nullptr;
  if (zero)
    (void)cudaMalloc(&p, n * sizeof(float));
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaMalloc' allocates device memory
  return p;
}

void noPool(int n, bool zero) {
  cudaStream_t s;
  cudaGraph_t graph;
  (void)cudaStreamCreate(&s);
  scale<<<1, 256, 0, s>>>(fresh(n, zero), n);
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 256, 0, s>>>(fresh(n, zero), n);
  (void)cudaStreamEndCapture(s, &graph);
}
