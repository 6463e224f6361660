// Calls that are not written at the call site: default arguments, member
// initializers, and initializers of statics.

// RUN: %check %s

__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
namespace defs {
void *alloc() {
  void *p;
  cudaMalloc(&p, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  return p;
}
struct DMI {
  void *p = alloc();
};
void f(cudaStream_t s, void *p = alloc()) {}
void use(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  DMI d;
  f(s);
  cudaStreamEndCapture(s, g);
  (void)d;
}
void *alloc2() {
  void *p;
  cudaMalloc(&p, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  return p;
}
void g2(cudaStream_t s, void *p = alloc2()) {}
void use2(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  g2(s);
  cudaStreamEndCapture(s, g);
}
void *alloc3() {
  void *p;
  cudaMalloc(&p, 1);
  return p;
}
void g3(cudaStream_t s, void *p = alloc3()) {}
struct DMI3 {
  void *p = alloc3();
  DMI3(void *q) : p(q) {}
};
void use3(cudaStream_t s, cudaGraph_t *g, void *q) {
  BEGIN(s);
  g3(s, q);
  DMI3 d(q);
  cudaStreamEndCapture(s, g);
  g3(s);
}
void *alloc4() {
  void *p;
  cudaMalloc(&p, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  return p;
}
void *ws() {
  static void *w = alloc4();
  return w;
}
void use4(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  k<<<1, 1, 0, s>>>((float *)ws());
  cudaStreamEndCapture(s, g);
}
} // namespace defs
