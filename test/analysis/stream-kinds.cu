// The creation of a stream determines whether a call returns 906 or its work
// escapes.

// RUN: %check %s

__global__ void k(float *x);
cudaStream_t gs;
cudaStream_t gnb;
static cudaStream_t gsn;
constexpr unsigned kNB = cudaStreamNonBlocking;
static const unsigned kDef = cudaStreamDefault;
void init() {
  cudaStreamCreate(&gs);
  cudaStreamCreateWithFlags(&gnb, kNB);
}
void initn() { cudaStreamCreateWithPriority(&gsn, cudaStreamNonBlocking, -1); }
void use_g(float *x, cudaGraph_t *g) {
  cudaStreamBeginCapture(gs, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every
  cudaStreamEndCapture(gs, g);
  cudaStreamBeginCapture(gnb, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(non-blocking, global mode) captures; CUDA returns success, but
  cudaStreamEndCapture(gnb, g);
  cudaStreamBeginCapture(gsn, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(non-blocking, global mode) captures; CUDA returns success, but
  cudaStreamEndCapture(gsn, g);
}
void locals(float *x, cudaGraph_t *g, bool nb, unsigned fl) {
  cudaStream_t a, b, c, d, e, f;
  cudaStreamCreateWithFlags(&a, kNB);
  cudaStreamCreateWithFlags(&b, kDef);
  unsigned flags = cudaStreamNonBlocking;
  cudaStreamCreateWithFlags(&c, flags);
  cudaStreamCreateWithFlags(&d, nb ? cudaStreamNonBlocking : cudaStreamDefault);
  cudaStreamCreateWithPriority(&e, cudaStreamDefault, 0);
  cudaStreamCreateWithFlags(&f, fl);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}'a' (non-blocking, global mode) captures; CUDA returns success, but
  cudaStreamEndCapture(a, g);
  cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}'b' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every
  cudaStreamEndCapture(b, g);
  cudaStreamBeginCapture(c, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}'c' (non-blocking, global mode) captures; CUDA returns success, but
  cudaStreamEndCapture(c, g);
  cudaStreamBeginCapture(d, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}'d' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once
  cudaStreamEndCapture(d, g);
  cudaStreamBeginCapture(e, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}'e' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every
  cudaStreamEndCapture(e, g);
  cudaStreamBeginCapture(f, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}'f' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once
  cudaStreamEndCapture(f, g);
}
struct CtorNB {
  cudaStream_t s;
  CtorNB() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  void cap(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: {{.*}}(non-blocking, global mode) captures; CUDA returns success, but
    cudaStreamEndCapture(s, g);
  }
};
struct CtorB {
  cudaStream_t s;
  CtorB() { cudaStreamCreate(&s); }
  void cap(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: {{.*}}(blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every
    cudaStreamEndCapture(s, g);
  }
};
struct Setter {
  cudaStream_t s;
  Setter() { cudaStreamCreate(&s); }
  void set(cudaStream_t t) { s = t; }
  void cap(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: {{.*}}'s' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once
    cudaStreamEndCapture(s, g);
  }
};
struct SetterOnly {
  cudaStream_t s = nullptr;
  void set(cudaStream_t t) { s = t; }
  void cap(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: {{.*}}'s' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once
    cudaStreamEndCapture(s, g);
  }
};
struct NullInit {
  cudaStream_t s = nullptr;
  NullInit() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  ~NullInit() {
    if (s)
      cudaStreamDestroy(s);
    s = nullptr;
  }
  void cap(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: {{.*}}(non-blocking, global mode) captures; CUDA returns success, but
    cudaStreamEndCapture(s, g);
  }
};
struct ParamCtor {
  cudaStream_t s;
  bool nb;
  ParamCtor(unsigned f) { cudaStreamCreateWithFlags(&s, f); }
  void cap(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: {{.*}}'s' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once
    cudaStreamEndCapture(s, g);
  }
};
// The callers determine the parameter.
void capA(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(non-blocking, global mode) captures; CUDA returns success, but
  cudaStreamEndCapture(s, g);
}
void callA(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  capA(x, s, g);
}
void capB(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if
  cudaStreamEndCapture(s, g);
}
void callB1(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  capB(x, s, g);
}
void callB2(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  capB(x, s, g);
}
struct StreamRaii {
  cudaStream_t s;
  explicit StreamRaii(bool nb = true) {
    cudaStreamCreateWithFlags(&s, nb ? cudaStreamNonBlocking : cudaStreamDefault);
  }
  ~StreamRaii() { cudaStreamDestroy(s); }
  operator cudaStream_t() const { return s; }
  cudaStream_t get() const { return s; }
};
void raii(float *x, cudaGraph_t *g) {
  StreamRaii a, b(false);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, a>>>(x);
  k<<<1, 1, 0, a.get()>>>(x);
  k<<<1, 1, 0, b>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on stream 'b', which is not part of the capture of 'a'
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(non-blocking, global mode) captures; CUDA returns success, but
  cudaStreamEndCapture(a.get(), g);
  cudaStreamBeginCapture(b.get(), cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every
  cudaStreamEndCapture(b, g);
}
cudaStream_t makeStream() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  return s;
}
cudaStream_t lazyStream() {
  static cudaStream_t s = makeStream();
  return s;
}
cudaStream_t &lazy2() {
  static cudaStream_t s = nullptr;
  if (!s)
    cudaStreamCreate(&s);
  return s;
}
void facs(float *x, cudaGraph_t *g) {
  cudaStream_t a = makeStream();
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}'a' (non-blocking, global mode) captures; CUDA returns success, but
  cudaStreamEndCapture(a, g);
  cudaStreamBeginCapture(lazyStream(), cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, lazyStream()>>>(x);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(non-blocking, global mode) captures; CUDA returns success, but
  cudaStreamEndCapture(lazyStream(), g);
  cudaStreamBeginCapture(lazy2(), cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, lazy2()>>>(x);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every
  cudaStreamEndCapture(lazy2(), g);
}
void arr(float *x, cudaGraph_t *g) {
  cudaStream_t s[4];
  for (int i = 0; i < 4; i++)
    cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
  cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s[0]>>>(x);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(non-blocking, global mode) captures; CUDA returns success, but
  cudaStreamSynchronize(s[0]);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}'s[0]', which is capturing
  cudaStreamEndCapture(s[0], g);
}
