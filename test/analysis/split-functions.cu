// Begin and end calls in different functions and methods.

// RUN: %check %s

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <map>
__global__ void k(float *x);
namespace n1 {
void begin(cudaStream_t s) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
}
cudaGraph_t end(cudaStream_t s) {
  cudaGraph_t g;
  cudaStreamEndCapture(s, &g);
  return g;
}
void work(float *x, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(x);
  cudaMalloc(&x, 3);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
}
void work_ok(float *x, cudaStream_t s) { k<<<1, 1, 0, s>>>(x); }
void use(float *x, cudaStream_t s) {
  begin(s);
  work(x, s);
  end(s);
  cudaStreamSynchronize(s);
}
void use_ok(float *x, cudaStream_t s) {
  cudaMalloc(&x, 1);
  begin(s);
  work_ok(x, s);
  end(s);
  cudaStreamSynchronize(s);
}
void endcallee(float *x, cudaStream_t s) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  end(s);
  cudaFree(x);
}
} // namespace n1
namespace n2 {
class Cap {
  cudaStream_t s_;
  cudaGraph_t g_ = nullptr;
  cudaGraphExec_t e_ = nullptr;

public:
  explicit Cap(cudaStream_t s) : s_(s) {}
  void begin() { cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed); }
  void end() {
    cudaStreamEndCapture(s_, &g_);
    cudaGraphInstantiate(&e_, g_, 0);
  }
  void launch() {
    cudaGraphLaunch(e_, s_);
    cudaStreamSynchronize(s_);
  }
  cudaStream_t stream() const { return s_; }
  cudaStream_t &ref() { return s_; }
};
void use(float *x, cudaStream_t s) {
  Cap c(s);
  c.begin();
  k<<<1, 1, 0, c.stream()>>>(x);
  k<<<1, 1, 0, c.ref()>>>(x);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(c.stream());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaMalloc(&x, 1);
  c.end();
  c.launch();
}
struct Owner {
  Cap c;
  std::unique_ptr<Cap> p;
  Owner(cudaStream_t s) : c(s), p(std::make_unique<Cap>(s)) {}
  void go(float *x) {
    c.begin();
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k'
    c.end();
    c.launch();
    p->begin();
    cudaStreamSynchronize(p->stream());
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
    p->end();
    p->launch();
  }
};
} // namespace n2
