// Captures that happen only on a miss in a graph cache.

// RUN: %check %s

#include <optional>
#include <unordered_map>
__global__ void k(float *x);
struct Key {
  int n;
};
static std::unordered_map<int, cudaGraphExec_t> cache;
template <class F> void runGraph(int key, cudaStream_t s, F f) {
  auto it = cache.find(key);
  if (it == cache.end()) {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    f();
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    cache[key] = e;
    cudaGraphLaunch(e, s);
  } else {
    cudaGraphLaunch(it->second, s);
  }
  cudaStreamSynchronize(s);
}
struct Cached {
  std::optional<cudaGraphExec_t> e;
  cudaStream_t s;
  template <class F> void run(F f, bool enabled) {
    if (!enabled) {
      f();
      cudaStreamSynchronize(s);
      return;
    }
    if (!e) {
      cudaGraph_t g;
      cudaGraphExec_t x;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      f();
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&x, g, 0);
      e = x;
    }
    cudaGraphLaunch(*e, s);
    cudaStreamSynchronize(s);
  }
};
void useCache(float *x, cudaStream_t s, Cached &c) {
  runGraph(3, s, [&] {
    k<<<1, 1, 0, s>>>(x);
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  });
  runGraph(4, s, [&] { k<<<1, 1, 0, s>>>(x); });
  c.run(
      [&] {
        cudaMalloc(&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaMalloc'
      },
      true);
  c.run([&] { k<<<1, 1, 0, c.s>>>(x); }, true);
  c.run([&] { cudaMalloc(&x, 4); }, false);
}
