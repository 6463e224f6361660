// The guards of guards.cu under an annotation: the stream is a parameter.

// RUN: %check %s

#include <cudagraph/annotations.h>
// guards
#include <cassert>
#include <cstdio>
__global__ void k(float *x);
void n1(cudaStream_t s, float *x) {
  cudaStreamCaptureStatus st;
  cudaStreamIsCapturing(s, &st);
  if (st == cudaStreamCaptureStatusNone)
    cudaStreamSynchronize(s);
  if (st != cudaStreamCaptureStatusNone)
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  if (st == cudaStreamCaptureStatusActive)
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  else
    cudaStreamSynchronize(s);
  if (st != cudaStreamCaptureStatusActive)
    cudaStreamSynchronize(s);
}
void n2(cudaStream_t s, float *x) {
  cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(s, &st) == cudaSuccess &&
      st == cudaStreamCaptureStatusActive)
    return;
  cudaStreamSynchronize(s);
}
void n3(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  if (cudaStreamIsCapturing(s, &st) != cudaSuccess)
    return;
  if (!(st == cudaStreamCaptureStatusNone)) {
    k<<<1, 1, 0, s>>>(nullptr);
    return;
  }
  cudaStreamSynchronize(s);
}
bool capturing(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  cudaStreamIsCapturing(s, &st);
  return st != cudaStreamCaptureStatusNone;
}
bool capturing2(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  if (cudaStreamIsCapturing(s, &st) != cudaSuccess)
    return false;
  if (st == cudaStreamCaptureStatusActive)
    return true;
  return false;
}
bool capturing3(cudaStream_t s) {
  cudaStreamCaptureStatus st{};
  return cudaStreamIsCapturing(s, &st) == cudaSuccess &&
         st == cudaStreamCaptureStatusActive;
}
bool capturing4(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  unsigned long long id;
  cudaStreamGetCaptureInfo(s, &st, &id);
  return st == cudaStreamCaptureStatusActive ? true : false;
}
inline cudaStreamCaptureStatus status(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  cudaStreamIsCapturing(s, &st);
  return st;
}
enum class CS { None, Active, Invalid };
CS cs(cudaStream_t s) {
  switch (status(s)) {
  case cudaStreamCaptureStatusNone:
    return CS::None;
  case cudaStreamCaptureStatusActive:
    return CS::Active;
  default:
    return CS::Invalid;
  }
}
CS cs2(cudaStream_t s) { return static_cast<CS>(status(s)); }
struct Ctx {
  cudaStream_t s;
  bool cap_ = false;
  cudaStreamCaptureStatus st_;
  bool isCapturing() const { return capturing(s); }
  void refresh() {
    cap_ = capturing2(s);
    st_ = status(s);
  }
  void sync() {
    if (!isCapturing())
      cudaStreamSynchronize(s);
  }
  void sync2() {
    refresh();
    if (!cap_)
      cudaStreamSynchronize(s);
    if (st_ == cudaStreamCaptureStatusNone)
      cudaStreamSynchronize(s);
  }
  void sync3() {
    if (isCapturing())
      cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize'
  }
};
void n4(cudaStream_t s, float *x, Ctx c) {
  if (!capturing(s))
    cudaStreamSynchronize(s);
  if (capturing(s))
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  if (capturing2(s)) {
  } else
    cudaStreamSynchronize(s);
  if (capturing2(s))
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  if (!capturing3(s))
    cudaStreamSynchronize(s);
  if (capturing3(s))
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  if (!capturing4(s))
    cudaStreamSynchronize(s);
  if (capturing4(s))
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  if (status(s) == cudaStreamCaptureStatusNone)
    cudaStreamSynchronize(s);
  if (status(s))
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  if (!status(s))
    cudaStreamSynchronize(s);
  if (cs(s) == CS::None)
    cudaStreamSynchronize(s);
  if (cs(s) != CS::None)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  if (cs2(s) == CS::None)
    cudaStreamSynchronize(s);
  if (cs2(s) == CS::Active)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  bool b = capturing(s);
  const bool nb = !b;
  if (nb)
    cudaStreamSynchronize(s);
  b ? (void)0 : (void)cudaStreamSynchronize(s);
  if (!capturing(s) && cudaStreamSynchronize(s) == cudaSuccess)
    return;
  if (capturing(s) || cudaStreamSynchronize(s) == cudaSuccess)
    k<<<1, 1, 0, s>>>(x);
  cudaError_t e = capturing(s) ? cudaSuccess : cudaStreamSynchronize(s);
  switch (status(s)) {
  case cudaStreamCaptureStatusNone:
    cudaStreamSynchronize(s);
    break;
  case cudaStreamCaptureStatusActive:
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
    break;
  default:
    break;
  }
  while (!capturing(s)) {
    cudaStreamSynchronize(s);
  }
  (void)e;
}
void n5(cudaStream_t s, float *x) {
  Ctx c{s};
  c.sync();
  c.sync2();
  c.sync3();
  assert(!capturing(s));
  cudaStreamSynchronize(s);
}
#define SYNC_UNLESS_CAPTURING(s)                                                       \
  do {                                                                                 \
    cudaStreamCaptureStatus st_;                                                       \
    cudaStreamIsCapturing((s), &st_);                                                  \
    if (st_ == cudaStreamCaptureStatusNone) {                                          \
      cudaStreamSynchronize(s);                                                        \
    }                                                                                  \
  } while (0)
#define RETURN_IF_CAPTURING(s)                                                         \
  if (capturing(s))                                                                    \
  return
void n6(cudaStream_t s, float *x) {
  SYNC_UNLESS_CAPTURING(s);
  RETURN_IF_CAPTURING(s);
  cudaStreamSynchronize(s);
}
void inner(cudaStream_t s) { cudaStreamSynchronize(s); }
void inner_bad(cudaStream_t s) { cudaStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:34: warning: 'cudaStreamSynchronize'
void n7(cudaStream_t s) {
  if (!capturing(s))
    inner(s);
  inner_bad(s);
}
struct Info {
  bool cap;
  int n;
};
Info info(cudaStream_t s) {
  Info i;
  i.cap = capturing(s);
  i.n = 1;
  return i;
}
void n8(cudaStream_t s) {
  Info i = info(s);
  if (!i.cap)
    cudaStreamSynchronize(s);
  if (i.cap)
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  auto [c, n] = info(s);
  if (!c)
    cudaStreamSynchronize(s);
}
void n9(cudaStream_t s) {
  if (capturing(s))
    throw 1;
  cudaStreamSynchronize(s);
}
void n10(cudaStream_t s) {
  const auto allowed = [s] { return !capturing(s); };
  if (allowed())
    cudaStreamSynchronize(s);
  if (!allowed())
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
}
void n11(cudaStream_t s, bool force) {
  bool can = true;
  if (capturing(s))
    can = false;
  if (can)
    cudaStreamSynchronize(s);
  if (can || force)
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  if (force && !capturing(s))
    cudaStreamSynchronize(s);
  bool skip = force || capturing(s);
  if (!skip)
    cudaStreamSynchronize(s);
}
void n12(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  unsigned long long id;
  cudaGraph_t g;
  const cudaGraphNode_t *deps;
  const cudaGraphEdgeData *ed;
  size_t nd;
  cudaStreamGetCaptureInfo(s, &st, &id, &g, &deps, &ed, &nd);
  if (st == cudaStreamCaptureStatusNone)
    cudaStreamSynchronize(s);
  if (st == cudaStreamCaptureStatusActive)
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
}
CUDAGRAPH_CAPTURE_REGION void rroot(cudaStream_t s, float *x, cudaGraph_t *g, Ctx c,
                                    int w) {

  switch (w) {
  case 1:
    n1(s, x);
    break;
  case 2:
    n2(s, x);
    break;
  case 3:
    n3(s);
    break;
  case 4:
    n4(s, x, c);
    break;
  case 5:
    n5(s, x);
    break;
  case 6:
    n6(s, x);
    break;
  case 7:
    n7(s);
    break;
  case 8:
    n8(s);
    break;
  case 9:
    n9(s);
    break;
  case 10:
    n10(s);
    break;
  case 11:
    n11(s, true);
    break;
  case 12:
    n12(s);
    break;
  }
}
// A guard for a different known stream does not protect the call.
void other(float *x, cudaGraph_t *g) {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  if (!capturing(b))
    cudaStreamSynchronize(a);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
  if (!capturing(b))
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  if (!capturing(a))
    cudaMalloc(&x, 1);
  cudaStreamEndCapture(a, g);
}
