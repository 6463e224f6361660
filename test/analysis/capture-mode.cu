// Exchanges of a thread's capture mode, and captures inside captures.

// RUN: %check %s

__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
#define END(s, g) cudaStreamEndCapture(s, g)
void exch(cudaStream_t s, cudaGraph_t *g, float *x) {
  cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed;
  BEGIN(s);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaThreadExchangeStreamCaptureMode(&m);
  cudaMalloc(&x, 1);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaThreadExchangeStreamCaptureMode(&m);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  END(s, g);
}
void exch2(cudaStream_t s, cudaGraph_t *g, float *x) {
  cudaStreamCaptureMode m = cudaStreamCaptureModeGlobal;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaThreadExchangeStreamCaptureMode(&m);
  cudaMalloc(&x, 1);
  cudaThreadExchangeStreamCaptureMode(&m);
  cudaMalloc(&x, 1);
  END(s, g);
}
void exch3(cudaStream_t s, cudaGraph_t *g, float *x) {
  cudaStreamCaptureMode m = cudaStreamCaptureModeThreadLocal;
  BEGIN(s);
  cudaThreadExchangeStreamCaptureMode(&m);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaThreadExchangeStreamCaptureMode(&m);
  END(s, g);
}
void exch4(cudaStream_t s, cudaGraph_t *g, float *x) { // before the capture
  cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&m);
  BEGIN(s);
  cudaMalloc(&x, 1);
  END(s, g);
  cudaThreadExchangeStreamCaptureMode(&m);
  BEGIN(s);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  END(s, g);
}
struct Relax {
  cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed;
  Relax() { cudaThreadExchangeStreamCaptureMode(&m); }
  ~Relax() { cudaThreadExchangeStreamCaptureMode(&m); }
};
class ModeGuard {
  cudaStreamCaptureMode mode_;

public:
  explicit ModeGuard(cudaStreamCaptureMode m) : mode_(m) {
    cudaThreadExchangeStreamCaptureMode(&mode_);
  }
  ~ModeGuard() { cudaThreadExchangeStreamCaptureMode(&mode_); }
};
void *relaxedAlloc() {
  Relax r;
  void *p;
  cudaMalloc(&p, 4);
  return p;
}
void *strictAlloc() {
  void *p;
  {
    Relax r;
  }
  cudaMalloc(&p, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  return p;
}
void exch5(cudaStream_t s, cudaGraph_t *g, float *x) {
  BEGIN(s);
  {
    Relax r;
    cudaMalloc(&x, 1);
    cudaEventQuery(nullptr);
  }
  {
    ModeGuard r(cudaStreamCaptureModeRelaxed);
    cudaMalloc(&x, 1);
  }
  {
    ModeGuard r{cudaStreamCaptureModeGlobal};
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  relaxedAlloc();
  strictAlloc();
  END(s, g);
}
void push(cudaStreamCaptureMode &m) {
  m = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&m);
}
void pop(cudaStreamCaptureMode &m) { cudaThreadExchangeStreamCaptureMode(&m); }
void exch6(cudaStream_t s, cudaGraph_t *g, float *x) {
  cudaStreamCaptureMode m;
  BEGIN(s);
  push(m);
  cudaMalloc(&x, 1);
  pop(m);
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  END(s, g);
}
void nested(cudaGraph_t *g, cudaGraph_t *h, float *x) {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
  cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed);
  k<<<1, 1, 0, a>>>(x);
  k<<<1, 1, 0, b>>>(x);
  cudaStreamSynchronize(a);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}'a', which is capturing
  cudaStreamSynchronize(b);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}'b', which is capturing
  cudaStreamEndCapture(b, h);
  cudaStreamSynchronize(b);
  k<<<1, 1, 0, b>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}stream 'b'
  cudaStreamSynchronize(a);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}'a', which is capturing
  cudaStreamEndCapture(a, g);
  cudaStreamSynchronize(a);
}
void nestedGlobalRelaxed(cudaGraph_t *g, cudaGraph_t *h, float *x) {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaStreamEndCapture(b, h);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaStreamEndCapture(a, g);
  cudaMalloc(&x, 1);
}
