// A helper begins a capture, calls its argument, and ends the capture. For
// every kind of callable, the body is captured in that call only.

// RUN: %check %s

#include <cstdio>
#include <functional>
#include <memory>
#include <map>
#include <unordered_map>
#include <optional>
#include <utility>
__global__ void k(float *x);
template <class F> cudaGraph_t capT(cudaStream_t s, F &&f) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::forward<F>(f)();
  cudaStreamEndCapture(s, &g);
  return g;
}
template <class F, class... A> cudaGraph_t capA(cudaStream_t s, F f, A &&...a) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f(s, std::forward<A>(a)...);
  cudaStreamEndCapture(s, &g);
  return g;
}
cudaGraph_t capF(cudaStream_t s, const std::function<void(cudaStream_t)> &f) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f(s);
  cudaStreamEndCapture(s, &g);
  return g;
}
cudaGraph_t capV(cudaStream_t s, std::function<void()> f) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f();
  cudaStreamEndCapture(s, &g);
  return g;
}
cudaGraph_t capP(cudaStream_t s, void (*f)(void *, cudaStream_t), void *u) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f(u, s);
  cudaStreamEndCapture(s, &g);
  return g;
}
struct Work {
  float *x;
  void operator()(cudaStream_t s) const {
    k<<<1, 1, 0, s>>>(x);
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  }
};
struct WorkOk {
  float *x;
  void operator()(cudaStream_t s) const { k<<<1, 1, 0, s>>>(x); }
};
void body(void *u, cudaStream_t s) {
  k<<<1, 1, 0, s>>>((float *)u);
  cudaFree(u);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
}
void body_ok(void *u, cudaStream_t s) { k<<<1, 1, 0, s>>>((float *)u); }
struct Obj {
  float *x;
  cudaStream_t s;
  void m() {
    k<<<1, 1, 0, s>>>(x);
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  void m_ok() { k<<<1, 1, 0, s>>>(x); }
  void run() {
    capM(&Obj::m);
    capM(&Obj::m_ok);
    cudaMalloc(&x, 1);
  }
  void capM(void (Obj::*f)()) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    (this->*f)();
    cudaStreamEndCapture(s, &g);
  }
};
template <class O> void capMT(cudaStream_t s, O *o, void (O::*f)()) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  (o->*f)();
  cudaStreamEndCapture(s, &g);
}
struct Obj2 {
  float *x;
  void m() { cudaMalloc(&x, 1); }
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'cudaMalloc'
  void n() {}
};
struct Obj3 {
  float *x;
  void m() { cudaMalloc(&x, 1); }
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'cudaMalloc'
  void n() {}
};
void use(float *x, cudaStream_t s, Obj2 *o, Obj3 *o3) {
  capT(s, [&] {
    k<<<1, 1, 0, s>>>(x);
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  });
  capT(s, [&] { k<<<1, 1, 0, s>>>(x); });
  auto l = [=]() {
    k<<<1, 1, 0, s>>>(x);
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  };
  capT(s, l);
  auto lok = [=]() { k<<<1, 1, 0, s>>>(x); };
  capT(s, lok);
  capA(s, Work{x});
  capA(s, WorkOk{x});
  capA(s, [x](cudaStream_t t) {
    k<<<1, 1, 0, t>>>(x);
    cudaStreamSynchronize(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  });
  capA(
      s,
      [](auto t, auto *y) {
        k<<<1, 1, 0, t>>>(y);
        cudaFree(y);
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaFree'
      },
      x);
  capF(s, [x](cudaStream_t t) {
    k<<<1, 1, 0, t>>>(x);
    cudaStreamSynchronize(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  });
  capF(s, [x](cudaStream_t t) { k<<<1, 1, 0, t>>>(x); });
  capV(s, [x, s]() {
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k'
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  });
  std::function<void()> fn = [=] {
    cudaMalloc((void **)&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  };
  capV(s, fn);
  capP(s, body, x);
  capP(s, body_ok, x);
  capP(
      s,
      [](void *u, cudaStream_t t) {
        cudaFree(u);
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaFree'
      },
      x);
  capMT(s, o, &Obj2::m);
  capMT(s, o, &Obj2::n);
  capT(s, [&] { o3->m(); });
  cudaStreamSynchronize(s);
  fn();
  o->m();
}
struct Rec {
  std::function<void(cudaStream_t)> fn;
  cudaStream_t s;
  void set(std::function<void(cudaStream_t)> f) { fn = f; }
  void go() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fn(s);
    cudaStreamEndCapture(s, &g);
    cudaStreamSynchronize(s);
  }
};
void useRec(float *x, Rec &r) {
  r.set([x](cudaStream_t t) {
    k<<<1, 1, 0, t>>>(x);
    cudaStreamSynchronize(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  });
  r.go();
}
