// Work on another stream escapes unless events have forked it from the capture.

// RUN: %check %s

#include <vector>
#include <array>
__global__ void k(float *x);
void fork(float *x, cudaGraph_t *g) {
  cudaStream_t a, b;
  cudaEvent_t e, f;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&e);
  cudaEventCreate(&f);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  k<<<1, 1, 0, b>>>(x);
  k<<<1, 1, 0, a>>>(x);
  cudaEventRecord(f, b);
  cudaStreamWaitEvent(a, f, 0);
  cudaStreamEndCapture(a, g);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  k<<<1, 1, 0, b>>>(x);
  cudaEventRecord(f, b);
  cudaStreamSynchronize(b);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaStreamWaitEvent(a, f, 0);
  cudaStreamEndCapture(a, g);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  k<<<1, 1, 0, b>>>(x);
  cudaEventRecord(f, b);
  cudaEventSynchronize(f);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventSynchronize'
  cudaStreamWaitEvent(a, f, 0);
  cudaStreamEndCapture(a, g);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  k<<<1, 1, 0, b>>>(x);
  cudaEventRecord(f, b);
  cudaEventQuery(e);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventQuery'
  cudaStreamWaitEvent(a, f, 0);
  cudaStreamEndCapture(a, g);
  cudaStreamSynchronize(b);
  cudaEventSynchronize(f);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventSynchronize' uses event 'f' outside
}
void nofork(float *x, cudaGraph_t *g) {
  cudaStream_t a, b;
  cudaEvent_t e;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&e);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
  k<<<1, 1, 0, b>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}stream 'b'
  cudaEventRecord(e, b);
  cudaStreamSynchronize(b);
  cudaEventSynchronize(e);
  cudaStreamEndCapture(a, g);
}
void loopfork(float *x, cudaGraph_t *g) {
  cudaStream_t s[4];
  cudaEvent_t fk, jn[4];
  for (int i = 0; i < 4; i++) {
    cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    cudaEventCreate(&jn[i]);
  }
  cudaEventCreate(&fk);
  cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal);
  cudaEventRecord(fk, s[0]);
  for (int i = 1; i < 4; i++)
    cudaStreamWaitEvent(s[i], fk, 0);
  for (int i = 0; i < 4; i++)
    k<<<1, 1, 0, s[i]>>>(x);
  for (int i = 1; i < 4; i++) {
    cudaEventRecord(jn[i], s[i]);
    cudaStreamWaitEvent(s[0], jn[i], 0);
  }
  cudaStreamEndCapture(s[0], g);
  for (int i = 0; i < 4; i++)
    cudaStreamSynchronize(s[i]);
}
void vecfork(float *x, cudaGraph_t *g, cudaStream_t o, std::vector<cudaStream_t> &v,
             std::vector<cudaEvent_t> &ev, cudaEvent_t fk) {
  cudaStreamBeginCapture(o, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fk, o);
  for (auto &s : v)
    cudaStreamWaitEvent(s, fk, 0);
  for (auto s : v)
    k<<<1, 1, 0, s>>>(x);
  for (size_t i = 0; i < v.size(); i++) {
    cudaEventRecord(ev[i], v[i]);
    cudaStreamWaitEvent(o, ev[i], 0);
  }
  cudaStreamEndCapture(o, g);
}
void vecunforked(float *x, cudaGraph_t *g) {
  cudaStream_t o;
  cudaStreamCreate(&o);
  std::vector<cudaStream_t> v(3);
  for (auto &s : v)
    cudaStreamCreate(&s);
  cudaStreamBeginCapture(o, cudaStreamCaptureModeGlobal);
  for (auto s : v)
    k<<<1, 1, 0, s>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k'
  cudaStreamEndCapture(o, g);
}
void forkHelper(cudaStream_t from, cudaStream_t to, cudaEvent_t e) {
  cudaEventRecord(e, from);
  cudaStreamWaitEvent(to, e, 0);
}
void helper(float *x, cudaGraph_t *g) {
  cudaStream_t a, b, c;
  cudaEvent_t e, f;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamCreate(&c);
  cudaEventCreate(&e);
  cudaEventCreate(&f);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  forkHelper(a, b, e);
  k<<<1, 1, 0, b>>>(x);
  k<<<1, 1, 0, c>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}stream 'c'
  forkHelper(b, a, f);
  cudaStreamEndCapture(a, g);
}
void opaqueFork(cudaStream_t from, cudaStream_t to);
void opq(float *x, cudaGraph_t *g) {
  cudaStream_t a, b, c;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamCreate(&c);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  opaqueFork(a, b);
  k<<<1, 1, 0, b>>>(x);
  k<<<1, 1, 0, c>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}stream 'c'
  cudaStreamEndCapture(a, g);
}
struct Eng {
  cudaStream_t main_, side_;
  cudaEvent_t ev_;
  Eng() {
    cudaStreamCreate(&main_);
    cudaStreamCreate(&side_);
    cudaEventCreate(&ev_);
  }
  void fork() {
    cudaEventRecord(ev_, main_);
    cudaStreamWaitEvent(side_, ev_, 0);
  }
  void join() {
    cudaEventRecord(ev_, side_);
    cudaStreamWaitEvent(main_, ev_, 0);
  }
  void ok(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    fork();
    k<<<1, 1, 0, side_>>>(x);
    join();
    cudaStreamEndCapture(main_, g);
  }
  void bad(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, side_>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}stream 'side_'
    cudaStreamEndCapture(main_, g);
  }
  void cond(float *x, cudaGraph_t *g, bool multi) {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    if (multi)
      fork();
    cudaStream_t t = multi ? side_ : main_;
    k<<<1, 1, 0, t>>>(x);
    if (multi) {
      k<<<1, 1, 0, side_>>>(x);
      join();
    }
    cudaStreamEndCapture(main_, g);
  }
};
void transitive(float *x, cudaGraph_t *g) {
  cudaStream_t a, b, c;
  cudaEvent_t e, f;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamCreate(&c);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&f, cudaEventDisableTiming);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e);
  cudaEventRecord(f, b);
  cudaStreamWaitEvent(c, f);
  k<<<1, 1, 0, c>>>(x);
  cudaStreamSynchronize(c);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaEventRecord(e, c);
  cudaStreamWaitEvent(a, e);
  cudaEventRecord(e, b);
  cudaStreamWaitEvent(a, e);
  cudaStreamEndCapture(a, g);
}
