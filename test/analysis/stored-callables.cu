// Callables that reach a member through parameters and leave it through
// variables.

// RUN: %check %s cudagraph-device-allocation,cudagraph-pinned-allocation

#include <deque>
#include <functional>
#include <vector>

__global__ void k(float *x);

class Given {
public:
  void add(std::function<void()> f) { all_.push_back(std::move(f)); }
  template <class F> void later(F &&f) { keep(std::forward<F>(f)); }
  void drain() {
    while (!all_.empty()) {
      auto f = std::move(all_.front());
      all_.pop_front();
      f();
    }
  }

private:
  template <class F> void keep(F &&f) { all_.emplace_back(std::forward<F>(f)); }
  std::deque<std::function<void()>> all_;
};
void fill(Given &q, float *x) {
  q.add([x] {
    cudaFree(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  });
  q.later([x] {
    cudaFreeHost(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFreeHost' frees pinned host memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
  });
}
void drained(Given &q, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  q.drain();
  cudaStreamEndCapture(s, g);
}

// Filled in the capture and emptied after it.
class Kept {
public:
  void add(std::function<void()> f) { all_.push_back(std::move(f)); }
  void drain() {
    for (auto &f : all_)
      f();
  }

private:
  std::vector<std::function<void()>> all_;
};
void afterwards(Kept &q, float *x, float *old, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  q.add([old] { cudaFree(old); });
  cudaStreamEndCapture(s, g);
  q.drain();
}
