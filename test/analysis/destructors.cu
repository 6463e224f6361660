// Destructors of temporaries, local variables, arrays, and members.

// RUN: %check %s

__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
namespace dtor {
struct Buf {
  void *p;
  Buf(size_t n) { cudaMalloc(&p, n); }
  // CHECK-MESSAGES: :[[@LINE-1]]:19: warning: 'cudaMalloc'
  ~Buf() { cudaFree(p); }
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaFree'
  void use() {}
};
struct Ev {
  ~Ev() { cudaDeviceSynchronize(); }
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaDeviceSynchronize'
};
void use(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  Buf(4).use();
  Ev();
  cudaStreamEndCapture(s, g);
}
struct Buf2 {
  void *p;
  Buf2(size_t n) { cudaMalloc(&p, n); }
  ~Buf2() { cudaFree(p); }
};
void use2(cudaStream_t s, cudaGraph_t *g) {
  Buf2 b(3);
  {
    BEGIN(s);
    k<<<1, 1, 0, s>>>((float *)b.p);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' uses '(float *)b.p', which 'dtor::Buf2::~Buf2' frees
    cudaStreamEndCapture(s, g);
  }
}
struct Arr {
  ~Arr() { cudaFree(nullptr); }
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaFree'
};
void use3(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  {
    Arr a[2];
  }
  cudaStreamEndCapture(s, g);
}
struct Owner {
  Buf2 b{3};
};
struct Mem {
  void *p = nullptr;
  ~Mem() {
    if (p)
      cudaFree(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaFree'
  }
};
struct Outer {
  Mem m;
};
void use4(cudaStream_t s, cudaGraph_t *g, void *q) {
  BEGIN(s);
  {
    Outer o;
    o.m.p = q;
  }
  cudaStreamEndCapture(s, g);
}
} // namespace dtor
