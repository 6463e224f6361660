// A pool allocates only memory that it does not have: the same call before the
// capture may have filled it, but a call with a different size has not.

// RUN: %check %s cudagraph-device-allocation --real-std --confidence=likely

#include <cuda_runtime.h>
#include <map>
#include <vector>

__global__ void scale(float *x, int n);

class Pool {
public:
  float *block(int n) {
    auto found = blocks.find(n);
    if (found != blocks.end())
      return found->second;
    float *fresh = nullptr;
    if (cudaMalloc(&fresh, n * sizeof(float)) != cudaSuccess)
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaMalloc' allocates device memory while 's' (blocking, global mode) captures
      return nullptr;
    blocks.emplace(n, fresh);
    return fresh;
  }

private:
  std::map<int, float *> blocks;
};

class List {
public:
  float *take() {
    if (!free.empty()) {
      float *last = free.back();
      free.pop_back();
      return last;
    }
    float *fresh = nullptr;
    (void)cudaMalloc(&fresh, 4096);
    // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaMalloc' allocates device memory while 's' (blocking, global mode) captures
    return fresh;
  }
  void give(float *p) { free.push_back(p); }

private:
  std::vector<float *> free;
};

/// Neither pool has been used.
void cold(Pool &pool, List &list, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  (void)cudaStreamCreate(&s);
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 256, 0, s>>>(pool.block(n), n);
  scale<<<1, 256, 0, s>>>(list.take(), n);
  (void)cudaStreamEndCapture(s, &graph);
}
