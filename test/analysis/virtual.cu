// Virtual methods, overrides, and CRTP.

// RUN: %check %s

#include <memory>
__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
namespace virt {
struct Op {
  virtual void run(cudaStream_t s) = 0;
  virtual ~Op() {}
};
struct A : Op {
  float *x;
  void run(cudaStream_t s) override {
    k<<<1, 1, 0, s>>>(x);
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  }
};
struct B : Op {
  float *x;
  void run(cudaStream_t s) override { k<<<1, 1, 0, s>>>(x); }
};
struct C final : Op {
  float *x;
  void run(cudaStream_t s) override { cudaFree(x); }
  // CHECK-MESSAGES: :[[@LINE-1]]:39: warning: 'cudaFree'
};
void use(Op *o, cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  o->run(s);
  cudaStreamEndCapture(s, g);
  o->run(s);
}
} // namespace virt
namespace virt2 {
struct Op {
  virtual void run(cudaStream_t s) { cudaStreamSynchronize(s); }
};
struct B : Op {
  float *x;
  void run(cudaStream_t s) override { k<<<1, 1, 0, s>>>(x); }
};
void use(cudaStream_t s, cudaGraph_t *g) {
  B b;
  BEGIN(s);
  b.run(s);
  Op &o = b;
  o.run(s);
  cudaStreamEndCapture(s, g);
}
struct P {
  virtual void run(cudaStream_t s) { cudaStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:38: warning: 'cudaStreamSynchronize'
};
struct Q : P {
  float *x;
  void run(cudaStream_t s) override {
    k<<<1, 1, 0, s>>>(x);
    P::run(s);
  }
};
void useq(cudaStream_t s, cudaGraph_t *g) {
  auto q = std::make_unique<Q>();
  BEGIN(s);
  q->run(s);
  cudaStreamEndCapture(s, g);
}
} // namespace virt2
namespace crtp {
template <class D> struct Base {
  void capture(cudaStream_t s, cudaGraph_t *g) {
    BEGIN(s);
    static_cast<D *>(this)->impl(s);
    cudaStreamEndCapture(s, g);
    cudaStreamSynchronize(s);
  }
};
struct Bad : Base<Bad> {
  float *x;
  void impl(cudaStream_t s) { cudaMalloc(&x, 1); }
  // CHECK-MESSAGES: :[[@LINE-1]]:31: warning: 'cudaMalloc'
};
struct Good : Base<Good> {
  float *x;
  void impl(cudaStream_t s) { k<<<1, 1, 0, s>>>(x); }
};
void use(Bad &b, Good &gd, cudaStream_t s, cudaGraph_t *g) {
  b.capture(s, g);
  gd.capture(s, g);
  b.impl(s);
}
} // namespace crtp
namespace tmpl_method {
struct Tpl {
  virtual void body(cudaStream_t) {}
  virtual ~Tpl() {}
  void capture(cudaStream_t s, cudaGraph_t *g) {
    BEGIN(s);
    body(s);
    cudaStreamEndCapture(s, g);
  }
};
struct D1 : Tpl {
  void body(cudaStream_t s) override { cudaStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:40: warning: 'cudaStreamSynchronize'
};
struct D2 : Tpl {
  void body(cudaStream_t s) override { k<<<1, 1, 0, s>>>(nullptr); }
};
void use(D1 &a, D2 &b, cudaStream_t s, cudaGraph_t *g) {
  a.capture(s, g);
  b.capture(s, g);
}
} // namespace tmpl_method
