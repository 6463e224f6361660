// What may be bookkeeping of a cache or an allocator is shown on request only.

// RUN: %check %s cudagraph-host-logic --confidence=possible
// RUN: %check %s cudagraph-host-logic --suffix=DEFAULT

#include <mutex>
#include <vector>

__global__ void kernel(float *x);

struct Arena {
  char *base;
  size_t used = 0;
  std::vector<size_t> sizes;
  std::mutex mutex;
  void *take(size_t n) {
    void *p = base + used;
    used += n;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'used' changes during the capture of 's' (blocking, global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    sizes.push_back(n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container it is called on during the capture of 's' (blocking, global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    return p;
  }
};

void capture(Arena &arena) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>((float *)arena.take(1024));
  cudaStreamEndCapture(s, &graph);
}
