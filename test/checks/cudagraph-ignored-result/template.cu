// Templates: allocators and call wrappers.

// RUN: %check %s cudagraph-ignored-result

template <class T> struct Allocator {
  static void deallocate(T *p, cudaStream_t s) {
    cudaFreeAsync(p, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the result of 'cudaFreeAsync' is ignored; CUDA returns cudaErrorInvalidValue (1) in every capture mode, and the capture continues without it; the call is silently missing from the graph [cudagraph-ignored-result]
  }
};
template <class F, class... A> cudaError_t checked(F f, A... a) { return f(a...); }
template <class F, class... A> void call(F f, A... a) {
  if (f(a...) != cudaSuccess)
    __builtin_trap();
}

void f(float *x, double *y, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  Allocator<float>::deallocate(x, s);
  Allocator<double>::deallocate(y, s);
  call([=] { return cudaFreeAsync(x, s); });
  cudaStreamEndCapture(s, g);
}
