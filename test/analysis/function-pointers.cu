// Function pointers and std::function in tables, structs, and members.

// RUN: %check %s

#include <functional>
__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
namespace fptr {
void bad(cudaStream_t s) { cudaStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:28: warning: 'cudaStreamSynchronize'
void bad2(cudaStream_t s) { cudaFree(nullptr); }
  // CHECK-MESSAGES: :[[@LINE-1]]:29: warning: 'cudaFree'
void bad3(cudaStream_t s) { cudaFree(nullptr); }
  // CHECK-MESSAGES: :[[@LINE-1]]:29: warning: 'cudaFree'
void good(cudaStream_t s) { k<<<1, 1, 0, s>>>(nullptr); }
void unused(cudaStream_t s) { cudaFree(nullptr); }
struct Ops {
  void (*run)(cudaStream_t);
  void (*after)(cudaStream_t);
};
static const Ops ops = {bad, unused};
static void (*const table[])(cudaStream_t) = {good, bad2};
void use(cudaStream_t s, cudaGraph_t *g, int i) {
  BEGIN(s);
  ops.run(s);
  table[i](s);
  void (*f)(cudaStream_t) = i ? good : bad3;
  f(s);
  cudaStreamEndCapture(s, g);
  ops.after(s);
}
struct Node {
  std::function<void(cudaStream_t)> fn;
  cudaStream_t s;
  void set() {
    fn = [](cudaStream_t t) {
      cudaStreamSynchronize(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize'
    };
  }
  void go(cudaGraph_t *g) {
    BEGIN(s);
    fn(s);
    cudaStreamEndCapture(s, g);
  }
};
struct Node2 {
  void (*cb)(cudaStream_t) = nullptr;
  cudaStream_t s;
  Node2()
      : cb(+[](cudaStream_t t) {
          cudaStreamSynchronize(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaStreamSynchronize'
        }) {}
  void go(cudaGraph_t *g) {
    BEGIN(s);
    if (cb)
      cb(s);
    cudaStreamEndCapture(s, g);
  }
};
} // namespace fptr
