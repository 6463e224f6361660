// A constructor that begins a capture and a destructor that ends it.

// RUN: %check %s

#include <memory>
#include <optional>
#include <utility>
__global__ void k(float *x);
namespace n3 { // RAII
struct Scope {
  cudaStream_t s;
  cudaGraph_t *g;
  Scope(cudaStream_t s, cudaGraph_t *g) : s(s), g(g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  ~Scope() { cudaStreamEndCapture(s, g); }
  Scope(const Scope &) = delete;
};
void use(float *x, cudaStream_t s, cudaGraph_t *g) {
  {
    Scope c(s, g);
    k<<<1, 1, 0, s>>>(x);
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  cudaStreamSynchronize(s);
}
bool early(float *x, cudaStream_t s, cudaGraph_t *g, int n) {
  {
    Scope c(s, g);
    if (n == 0)
      return false;
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  }
  cudaStreamSynchronize(s);
  return true;
}
struct Moving {
  cudaStream_t s = nullptr;
  cudaGraph_t *g = nullptr;
  bool active = false;
  Moving(cudaStream_t s, cudaGraph_t *g) : s(s), g(g), active(true) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  Moving(Moving &&o) noexcept : s(o.s), g(o.g), active(o.active) { o.active = false; }
  ~Moving() {
    if (active)
      cudaStreamEndCapture(s, g);
  }
};
Moving make(cudaStream_t s, cudaGraph_t *g) { return Moving(s, g); }
Moving make2(cudaStream_t s, cudaGraph_t *g) {
  Moving m(s, g);
  return m;
}
void fac(float *x, cudaStream_t s, cudaGraph_t *g) {
  {
    auto m = make(s, g);
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  cudaStreamSynchronize(s);
  {
    auto m = make2(s, g);
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  cudaStreamSynchronize(s);
  {
    Moving a(s, g);
    Moving b(std::move(a));
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  cudaStreamSynchronize(s);
}
void opt(float *x, cudaStream_t s, cudaGraph_t *g, bool c) {
  {
    auto p = std::make_unique<Scope>(s, g);
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
    p.reset();
    cudaStreamSynchronize(s);
  }
  cudaStreamSynchronize(s);
  {
    std::unique_ptr<Scope> p;
    if (c)
      p.reset(new Scope(s, g));
    if (!c)
      cudaStreamSynchronize(s);
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  cudaStreamSynchronize(s);
}
void heap(float *x, cudaStream_t s, cudaGraph_t *g) {
  Scope *p = new Scope(s, g);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  delete p;
  cudaStreamSynchronize(s);
}
struct Def {
  Def(cudaStream_t s) : s(s) { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); }
  ~Def() {
    cudaGraph_t g;
    cudaStreamEndCapture(s, &g);
  }
  Def(Def &&) = default;
  cudaStream_t s;
};
void tmp(float *x, cudaStream_t s) {
  Def{s}, cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaMalloc'
  cudaStreamSynchronize(s);
  const Def &r = Def(s);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
}
struct Member {
  Def d;
  Member(cudaStream_t s) : d(s) {}
};
void mem(float *x, cudaStream_t s) {
  {
    Member m(s);
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  cudaStreamSynchronize(s);
}
struct Derived : Def {
  using Def::Def;
};
void der(float *x, cudaStream_t s) {
  {
    Derived m(s);
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  cudaStreamSynchronize(s);
}
} // namespace n3
