// Scope guards and deleters that end a capture.

// RUN: %check %s

#include <memory>
#include <utility>
__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
#define END(s, g) cudaStreamEndCapture(s, g)
template <class F> struct Finally {
  F f;
  ~Finally() { f(); }
};
template <class F> Finally<F> finally(F f) { return {std::move(f)}; }
template <class F> class ScopeExit {
  F f_;
  bool on_ = true;

public:
  explicit ScopeExit(F f) : f_(std::move(f)) {}
  ~ScopeExit() {
    if (on_)
      f_();
  }
  ScopeExit(ScopeExit &&o) : f_(std::move(o.f_)), on_(o.on_) { o.on_ = false; }
  void dismiss() { on_ = false; }
};
template <class F> ScopeExit(F) -> ScopeExit<F>;
void f1(cudaStream_t s, cudaGraph_t *g) {
  {
    BEGIN(s);
    auto e = finally([&] { END(s, g); });
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  }
  cudaStreamSynchronize(s);
}
void f2(cudaStream_t s, cudaGraph_t *g) {
  {
    BEGIN(s);
    ScopeExit e([&] { END(s, g); });
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  }
  cudaStreamSynchronize(s);
  {
    BEGIN(s);
    ScopeExit e{[&] { END(s, g); }};
    k<<<1, 1, 0, s>>>(nullptr);
    e.dismiss();
    END(s, g);
    cudaStreamSynchronize(s);
  }
  cudaStreamSynchronize(s);
}
struct EndDeleter {
  cudaGraph_t *g;
  void operator()(CUstream_st *s) const { cudaStreamEndCapture(s, g); }
};
void f3(cudaStream_t s, cudaGraph_t *g) {
  {
    BEGIN(s);
    std::unique_ptr<CUstream_st, EndDeleter> e(s, EndDeleter{g});
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  }
  cudaStreamSynchronize(s);
}
