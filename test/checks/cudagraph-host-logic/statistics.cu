// A counter that captured code increments matters only if other code acts on
// it, not if it is only displayed. The offset of an allocator is internal.

// RUN: %check %s cudagraph-host-logic
// RUN: %if gxx %{ %check %s cudagraph-host-logic --real-std %}

#include <cstdio>

__global__ void k(float *x);

class Trainer {
public:
  void capture(cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s_>>>(x_);
    ++steps_;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'steps_' changes during the capture of {{.*}} [cudagraph-host-logic]
    ++asked_;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'asked_' changes during the capture of {{.*}} [cudagraph-host-logic]
    ++shown_;
    bytes_ += 64;
    cudaStreamEndCapture(s_, graph);
  }
  void train(cudaGraphExec_t exec, int n) {
    while (steps_ < n)
      cudaGraphLaunch(exec, s_);
  }
  int asked() const { return asked_; }
  int shown() const { return shown_; }
  void report() const { std::printf("%d %ld\n", shown_, bytes_); }

private:
  cudaStream_t s_;
  float *x_;
  int steps_ = 0, asked_ = 0, shown_ = 0;
  long bytes_ = 0;
};
bool due(const Trainer &t) { return t.asked() > 100; }
void show(const Trainer &t) { std::printf("%d\n", t.shown()); }

struct Arena {
  char *base;
  unsigned long used = 0;
  float *take(unsigned long n) {
    char *p = base + used;
    used += n;
    return reinterpret_cast<float *>(p);
  }
};
class Network {
public:
  void capture(cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s_>>>(arena_.take(256));
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  Arena arena_;
};
