// The begin call and the end call have the same condition: code under the
// opposite condition is not captured.

// RUN: %check %s

#include <cstdio>
__global__ void k(float *x);
void f_param(float *x, cudaStream_t s, bool cap, cudaGraph_t *g) {
  if (cap)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  if (cap)
    cudaStreamEndCapture(s, g);
  cudaStreamSynchronize(s);
}
void f_param_ok(float *x, cudaStream_t s, bool cap, cudaGraph_t *g) {
  if (cap)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  if (!cap)
    cudaStreamSynchronize(s);
  if (cap)
    cudaStreamEndCapture(s, g);
  else
    cudaStreamSynchronize(s);
  cudaStreamSynchronize(s);
}
bool want();
void f_local(float *x, cudaStream_t s, cudaGraph_t *g) {
  const bool cap = want();
  bool nocap = !cap;
  if (cap) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  k<<<1, 1, 0, s>>>(x);
  if (nocap)
    cudaStreamSynchronize(s);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  if (cap) {
    cudaStreamEndCapture(s, g);
  }
  cudaStreamSynchronize(s);
}
struct E {
  bool capturing_ = false;
  bool use_graphs_;
  cudaStream_t s_;
  cudaGraph_t g_;
  void step(float *x, int n) {
    if (use_graphs_ && n > 3)
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s_>>>(x);
    if (!(use_graphs_ && n > 3))
      cudaStreamSynchronize(s_);
    if (use_graphs_ && n > 3)
      cudaStreamEndCapture(s_, &g_);
    cudaStreamSynchronize(s_);
  }
  void step2(float *x) {
    if (capturing_)
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    work(x);
    if (capturing_)
      cudaStreamEndCapture(s_, &g_);
    cudaStreamSynchronize(s_);
  }
  void work(float *x) {
    k<<<1, 1, 0, s_>>>(x);
    if (!capturing_) {
      cudaStreamSynchronize(s_);
    }
    if (capturing_) {
      cudaStreamSynchronize(s_);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize'
    }
  }
  void step3(float *x) {
    bool update = !inst_;
    if (update) {
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      is_cap_ = true;
    }
    body(x);
    if (update) {
      cudaStreamEndCapture(s_, &g_);
      is_cap_ = false;
      inst_ = true;
    }
    body(x);
    cudaStreamSynchronize(s_);
  }
  bool inst_ = false, is_cap_ = false;
  void body(float *x) {
    k<<<1, 1, 0, s_>>>(x);
    if (!is_cap_)
      cudaStreamSynchronize(s_);
  }
};
void nested(float *x, cudaStream_t s, bool a, bool b, cudaGraph_t *g) {
  if (a) {
    if (b) {
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    }
  }
  k<<<1, 1, 0, s>>>(x);
  if (!a)
    cudaStreamSynchronize(s);
  if (!b)
    cudaStreamSynchronize(s);
  if (a) {
    if (b) {
      cudaStreamEndCapture(s, g);
    }
  }
  cudaStreamSynchronize(s);
}
void neg(float *x, cudaStream_t s, bool eager, cudaGraph_t *g) {
  if (!eager)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (eager)
    cudaStreamSynchronize(s);
  k<<<1, 1, 0, s>>>(x);
  if (eager) {
    cudaStreamSynchronize(s);
    return;
  }
  cudaMalloc(&x, 3);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaStreamEndCapture(s, g);
  cudaStreamSynchronize(s);
}
void loop(float *x, cudaStream_t s, cudaGraph_t g, cudaGraphExec_t e) {
  for (int i = 0; i < 10; i++) {
    if (i == 0) {
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(x);
      cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize'
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
  }
}
void loop2(float *x, cudaStream_t s, cudaGraph_t g, cudaGraphExec_t e) {
  bool graphCreated = false;
  for (int i = 0; i < 10; i++) {
    if (!graphCreated) {
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      for (int j = 0; j < 20; j++) {
        k<<<1, 1, 0, s>>>(x);
        cudaMalloc(&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaMalloc'
      }
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
      graphCreated = true;
    }
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
  }
}
void loop3(float *x, cudaStream_t s, cudaGraph_t g, cudaGraphExec_t e) {
  for (int i = 0; i < 10; i++) {
    if (i == 1)
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s>>>(x);
    if (i != 1)
      cudaStreamSynchronize(s);
    if (i == 1)
      cudaStreamEndCapture(s, &g);
    cudaStreamSynchronize(s);
  }
}
enum Mode { Eager, Capture, Replay };
void sw(float *x, cudaStream_t s, Mode m, cudaGraph_t g, cudaGraphExec_t e) {
  if (m == Capture)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  switch (m) {
  case Eager:
    cudaStreamSynchronize(s);
    break;
  case Capture:
    cudaMalloc(&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
    break;
  case Replay:
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    break;
  }
  if (m == Capture)
    cudaStreamEndCapture(s, &g);
}
void sw2(float *x, cudaStream_t s, int m, cudaGraph_t g) {
  switch (m) {
  case 0:
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    [[fallthrough]];
  case 1:
    k<<<1, 1, 0, s>>>(x);
    break;
  default:
    cudaStreamSynchronize(s);
    break;
  }
  if (m == 0) {
    cudaMalloc(&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
    cudaStreamEndCapture(s, &g);
  } else
    cudaStreamSynchronize(s);
}
