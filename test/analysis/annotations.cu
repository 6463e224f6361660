// Annotations of cudagraph/annotations.h.

// RUN: %check %s

#include <cudagraph/annotations.h>
#include <cstdio>
__global__ void k(float *x);
CUDAGRAPH_CAPTURE_REGION void r1(cudaStream_t s, float *x) {
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k'
}
CUDAGRAPH_CAPTURE_REGION void r2(float *x) { cudaDeviceSynchronize(); }
  // CHECK-MESSAGES: :[[@LINE-1]]:46: warning: 'cudaDeviceSynchronize'
void notr(cudaStream_t s) { cudaStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:29: warning: 'cudaStreamSynchronize'
struct C {
  cudaStream_t s_;
  CUDAGRAPH_CAPTURE_REGION void go(float *x) {
    k<<<1, 1, 0, s_>>>(x);
    cudaMallocHost((void **)&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMallocHost'
  }
  CUDAGRAPH_CAPTURE_REGION void out(float *x);
  void sync() { cudaStreamSynchronize(s_); }
};
void C::out(float *x) { cudaDeviceSynchronize(); }
  // CHECK-MESSAGES: :[[@LINE-1]]:25: warning: 'cudaDeviceSynchronize'
template <class F> void record(F f) { f((cudaStream_t) nullptr); }
void lam(float *x, cudaStream_t q) {
  auto l = [&](cudaStream_t s) CUDAGRAPH_CAPTURE_REGION {
    k<<<1, 1, 0, s>>>(x);
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  };
  auto m = [&](cudaStream_t s) { cudaStreamSynchronize(s); };
  record([&](cudaStream_t s) CUDAGRAPH_CAPTURE_REGION {
    cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize'
  });
  l(q);
  m(q);
}
CUDAGRAPH_CAPTURE_SAFE void safe(float *x, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
}
CUDAGRAPH_CAPTURE_SAFE void safe_ext(float *x, cudaStream_t s);
CUDAGRAPH_CAPTURE_UNSAFE("reads the loss back") float loss(float *x);
struct M {
  CUDAGRAPH_CAPTURE_UNSAFE("waits") void w();
  CUDAGRAPH_CAPTURE_UNSAFE("vwaits") virtual void v();
};
void use(cudaStream_t s, float *x, cudaGraph_t *g, M &m) {
  loss(x);
  m.w();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  safe(x, s);
  safe_ext(x, s);
  loss(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'loss'
  m.w();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'M::w'
  m.v();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'M::v'
  CUDAGRAPH_ALLOW("once") cudaStreamSynchronize(s);
  CUDAGRAPH_ALLOW("once") {
    cudaStreamSynchronize(s);
    cudaMalloc(&x, 1);
  }
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  CUDAGRAPH_ALLOW("decl") cudaError_t e = cudaMalloc(&x, 1);
  CUDAGRAPH_ALLOW("if") if (e) cudaFree(x);
  CUDAGRAPH_ALLOW("call") notr(s);
  notr(s);
  cudaStreamEndCapture(s, g);
  loss(x);
}
void scope(cudaStream_t s, float *x) {
  {
    cudagraph::capture_region_scope c(s);
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  cudaStreamSynchronize(s);
  {
    CUDAGRAPH_CAPTURE_SCOPE(s);
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k'
  }
  cudaStreamSynchronize(s);
  if (x) {
    CUDAGRAPH_CAPTURE_SCOPE(s);
    if (!s)
      return;
    cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  }
  cudaFree(x);
}
CUDAGRAPH_CAPTURE_REGION void notr2(cudaStream_t s) {
notr3:
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
}
