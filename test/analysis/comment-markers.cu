// Regions in comments, for code that cannot include a header.

// RUN: %check %s

#include <cstdio>
__global__ void k(float *x);
void m1(cudaStream_t s, float *x) {
  // cudagraph: begin-capture(s)
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  // cudagraph: end-capture
  cudaStreamSynchronize(s);
}
void m2(cudaStream_t s, float *x, bool b) {
  if (b) {
    // cudagraph: begin-capture(s)
    k<<<1, 1, 0, s>>>(x);
    for (int i = 0; i < 3; i++) {
      cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc'
    }
    // cudagraph: end-capture
  }
  cudaStreamSynchronize(s);
}
void m3(cudaStream_t s, float *x) {
  for (int i = 0; i < 3; i++) {
    // cudagraph: begin-capture(s)
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
    // cudagraph: end-capture
    cudaFree(x);
  }
  // cudagraph: begin-capture(s)
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  // cudagraph: end-capture
}
void m4(cudaStream_t s, float *x) {
  cudaFree(x);
  // cudagraph: begin-capture(s)
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
}
void m4b(cudaStream_t s, float *x) {
  cudaFree(x);
  m4(s, x);
  cudaFree(x);
}
struct E {
  cudaStream_t s_;
  cudaStream_t stream() const { return s_; }
  void f(float *x) {
    /* cudagraph: begin-capture(s_) */
    k<<<1, 1, 0, s_>>>(x);
    cudaStreamSynchronize(s_);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
    cudaStreamSynchronize(stream());
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k'
    /* cudagraph: end-capture */
    cudaStreamSynchronize(s_);
  }
  void f2(float *x) {
    // cudagraph: begin-capture(this->s_)
    cudaStreamSynchronize(s_);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
    // cudagraph: end-capture
    // cudagraph: begin-capture(stream())
    cudaStreamSynchronize(s_);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
    // cudagraph: end-capture
  }
};
void m5(float *x) {
  // cudagraph: begin-capture(nosuchname)
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize'
  // cudagraph: end-capture
  // cudagraph: begin-capture()
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize'
  // cudagraph: end-capture
  // cudagraph: begin-capture
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize'
  // cudagraph: end-capture
  cudaDeviceSynchronize();
}
void m6(cudaStream_t s, float *x, bool b) {
  // cudagraph: begin-capture(s)
  if (b) {
    cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
    // cudagraph: end-capture
    return;
  }
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  // cudagraph: end-capture
  cudaFree(x);
}
void m7(cudaStream_t s, float *x) {
  cudaFree(x);
  auto l = [&] {
    // cudagraph: begin-capture(s)
    cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
    // cudagraph: end-capture
    cudaFree(x);
  };
  l();
  cudaFree(x);
}
struct Box {
  cudaStream_t st;
};
void m8(Box b, Box *p, float *x) {
  // cudagraph: begin-capture(b.st)
  cudaStreamSynchronize(b.st);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}'b.st', which is capturing
  // cudagraph: end-capture
  // cudagraph: begin-capture(p->st)
  cudaStreamSynchronize(p->st);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}'p->st', which is capturing
  // cudagraph: end-capture
}
template <class T> void m9(cudaStream_t s, T *x) {
  // cudagraph: begin-capture(s)
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  // cudagraph: end-capture
  cudaFree(x);
}
template void m9<float>(cudaStream_t, float *);
void m10(float *x) {
  const char *t = "// cudagraph: begin-capture(s)";
  cudaFree(x);
  (void)t;
}
void m11(cudaStream_t s, float *x) {
  int n = 0;   // cudagraph: begin-capture(s)
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  n++;         // cudagraph: end-capture
  cudaFree(x);
}
