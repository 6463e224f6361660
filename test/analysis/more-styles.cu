// Captures that begin in conditions, chains, base classes, folds, and
// templates.

// RUN: %check %s

#include <functional>
#include <memory>
#include <mutex>
__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
#define END(s, g) cudaStreamEndCapture(s, g)
// inits
void i1(cudaStream_t s, cudaGraph_t *g) {
  if (auto e = BEGIN(s); e == cudaSuccess) {
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
    END(s, g);
  } else {
    cudaDeviceSynchronize();
  }
  cudaStreamSynchronize(s);
  if (cudaError_t e = BEGIN(s)) {
    cudaDeviceSynchronize();
    return;
  }
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  END(s, g);
  cudaDeviceSynchronize();
}
void i2(cudaStream_t s, cudaGraph_t *g, bool c) {
  c ? BEGIN(s) : cudaSuccess;
  if (!c)
    cudaStreamSynchronize(s);
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  c ? END(s, g) : cudaSuccess;
  cudaStreamSynchronize(s);
  (void)(c && BEGIN(s) == cudaSuccess && END(s, g) == cudaSuccess);
  cudaStreamSynchronize(s);
}
// chaining
struct Chain {
  cudaStream_t s;
  Chain &begin() {
    BEGIN(s);
    return *this;
  }
  Chain &run() {
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
    return *this;
  }
  Chain &end(cudaGraph_t *g) {
    END(s, g);
    return *this;
  }
  Chain &sync() {
    cudaStreamSynchronize(s);
    return *this;
  }
};
void c1(Chain &c, cudaGraph_t *g) { c.begin().run().end(g).sync(); }
struct Base {
  cudaStream_t s;
  Base(cudaStream_t s) : s(s) { BEGIN(s); }
  virtual ~Base() {}
};
struct Der : Base {
  cudaGraph_t *g;
  Der(cudaStream_t s, cudaGraph_t *g) : Base(s), g(g) {}
  ~Der() { END(s, g); }
};
void c2(cudaStream_t s, cudaGraph_t *g) {
  {
    Der d(s, g);
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  }
  cudaStreamSynchronize(s);
  std::unique_ptr<Base> b(new Der(s, g));
  b.reset();
  cudaStreamSynchronize(s);
}
void helperDef(float *x, cudaStream_t s = 0) { k<<<1, 1, 0, s>>>(x); }
  // CHECK-MESSAGES: :[[@LINE-1]]:48: warning: kernel 'k'
void c3(float *x, cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  helperDef(x, s);
  helperDef(x);
  END(s, g);
}
template <class... F> void all(F... f) { (f(), ...); }
void c4(float *x, cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  all([&] { k<<<1, 1, 0, s>>>(x); },
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: kernel 'k' uses 'x', which a lambda in 'c4' frees; every replay will use freed memory that may have been reallocated [cudagraph-dangling-memory]
      [&] {
        cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaFree'
      });
  END(s, g);
  all([&] { cudaFree(x); });
}
template <int N> void rec(cudaStream_t s) {
  if constexpr (N > 0)
    rec<N - 1>(s);
  else
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
}
void c5(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  rec<3>(s);
  END(s, g);
  rec<2>(s);
}
template <bool Cap> void step(cudaStream_t s, cudaGraph_t *g) {
  if constexpr (Cap)
    BEGIN(s);
  k<<<1, 1, 0, s>>>(nullptr);
  if constexpr (Cap)
    END(s, g);
  else
    cudaStreamSynchronize(s);
}
template void step<true>(cudaStream_t, cudaGraph_t *);
template void step<false>(cudaStream_t, cudaGraph_t *);
void inv(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  std::invoke([&] {
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  });
  END(s, g);
  std::invoke([&] { cudaFree(nullptr); });
}
void once(cudaStream_t s, cudaGraph_t *g) {
  static std::once_flag o;
  BEGIN(s);
  std::call_once(o, [&] {
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  });
  END(s, g);
}
