// Several streams from one location in the code are different streams.

// RUN: %check %s

__global__ void k(float *x);
static cudaStream_t mk() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  return s;
}
void a(float *x, cudaGraph_t *g) {
  cudaStream_t a = mk(), b = mk();
  cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
  k<<<1, 1, 0, b>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on stream 'b', which is not part of the capture of 'a'
  cudaStreamSynchronize(b);
  cudaStreamEndCapture(a, g);
}
void arr(float *x, cudaGraph_t *g) {
  cudaStream_t s[4];
  for (int i = 0; i < 4; i++)
    cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
  cudaStreamBeginCapture(s[0], cudaStreamCaptureModeRelaxed);
  k<<<1, 1, 0, s[0]>>>(x);
  cudaStreamSynchronize(s[1]);
  k<<<1, 1, 0, s[1]>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k'
  cudaStreamSynchronize(s[0]);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}'s[0]', which is capturing
  cudaStreamEndCapture(s[0], g);
}
struct P {
  cudaStream_t a, b;
  P() {
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
  }
  void f(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
    cudaStreamSynchronize(b);
    k<<<1, 1, 0, b>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' is launched on stream 'b', which is not part of the capture of 'a'
    cudaStreamEndCapture(a, g);
  }
};
struct Raii {
  cudaStream_t s;
  Raii() { cudaStreamCreate(&s); }
  ~Raii() {}
  operator cudaStream_t() const { return s; }
};
struct Raii2 {
  cudaStream_t s;
  Raii2() { cudaStreamCreate(&s); }
  operator cudaStream_t() const { return s; }
};
struct Raii3 {
  cudaStream_t s;
  explicit Raii3(bool b) { cudaStreamCreateWithFlags(&s, b ? 1 : 0); }
  operator cudaStream_t() const { return s; }
};
void b(float *x, cudaGraph_t *g) {
  Raii a;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(blocking
  cudaStreamEndCapture(a, g);
}
void a2(float *x, cudaGraph_t *g) {
  Raii2 a;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(blocking
  cudaStreamEndCapture(a, g);
}
void a3(float *x, cudaGraph_t *g) {
  Raii3 a(true), b(false);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: {{.*}}(non-blocking
  k<<<1, 1, 0, b>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on stream 'b', which is not part of the capture of 'a'
  cudaStreamEndCapture(a, g);
}
void a4(float *x, cudaGraph_t *g) {
  Raii a, b;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, b>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on stream 'b', which is not part of the capture of 'a'
  cudaStreamEndCapture(a, g);
}
void a5(float *x, cudaGraph_t *g) {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, b>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on stream 'b', which is not part of the capture of 'a'
  cudaStreamEndCapture(a, g);
}
void a6(float *x, cudaGraph_t *g) {
  cudaStream_t a = mk(), b = mk();
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, b>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on stream 'b', which is not part of the capture of 'a'
  k<<<1, 1, 0, a>>>(x);
  cudaStreamEndCapture(a, g);
}

// A member function that receives one object and works on another does not
// affect state that it does not mention.
struct Fence {
  cudaEvent_t event;
  Fence() { cudaEventCreate(&event); }
};
class Queue {
public:
  Queue() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  void signal(const Fence &f) { cudaEventRecord(f.event, stream_); }
  void wait(const Fence &f) { cudaStreamWaitEvent(stream_, f.event, 0); }
  cudaStream_t native() const { return stream_; }

private:
  cudaStream_t stream_;
};
struct Renderer {
  Queue *graphics = new Queue, *async = new Queue;
  Fence fork, join;
  void forked(float *x) {
    graphics->signal(fork);
    async->wait(fork);
    k<<<1, 1, 0, async->native()>>>(x);
    async->signal(join);
    graphics->wait(join);
  }
  void record(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(graphics->native(), cudaStreamCaptureModeGlobal);
    forked(x);
    cudaStreamEndCapture(graphics->native(), g);
  }
  void mixed(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(graphics->native(), cudaStreamCaptureModeGlobal);
    forked(x);
    cudaStreamEndCapture(async->native(), g);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture on stream 'async->native()'
    cudaStreamEndCapture(graphics->native(), g);
  }
};
void render(float *x, cudaGraph_t *g) {
  Renderer r;
  r.record(x, g);
  r.mixed(x, g);
}
