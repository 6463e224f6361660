// Guards, one per root: wrappers that check the result of the query, return an
// enumerator or a struct, or store the answer in a member.

// RUN: %check %s

#include <cudagraph/annotations.h>
inline cudaStreamCaptureStatus status(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  cudaStreamIsCapturing(s, &st);
  return st;
}
enum class CS { None, Active, Invalid };
CS cs2(cudaStream_t s) { return static_cast<CS>(status(s)); }
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
CUDAGRAPH_CAPTURE_REGION void a(cudaStream_t s) {
  if (cs(s) == CS::None)
    cudaStreamSynchronize(s);
  if (cs(s) != CS::None)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
}
CUDAGRAPH_CAPTURE_REGION void b(cudaStream_t s) {
  if (cs2(s) == CS::None)
    cudaStreamSynchronize(s);
  if (cs2(s) == CS::Active)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
}
CUDAGRAPH_CAPTURE_REGION void c(cudaStream_t s, float *x) {
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
}
CUDAGRAPH_CAPTURE_REGION void d(cudaStream_t s, float *x) {
  cudaStreamCaptureStatus st;
  cudaStreamIsCapturing(s, &st);
  switch (st) {
  case cudaStreamCaptureStatusNone:
    cudaStreamSynchronize(s);
    break;
  case cudaStreamCaptureStatusActive:
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
    break;
  case cudaStreamCaptureStatusInvalidated:
    return;
  }
}
bool capturing2(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  if (cudaStreamIsCapturing(s, &st) != cudaSuccess)
    return false;
  return st == cudaStreamCaptureStatusActive;
}
bool capturing3(cudaStream_t s) {
  cudaStreamCaptureStatus st{};
  return cudaStreamIsCapturing(s, &st) == cudaSuccess &&
         st == cudaStreamCaptureStatusActive;
}
CUDAGRAPH_CAPTURE_REGION void e(cudaStream_t s) {
  if (!capturing2(s))
    cudaStreamSynchronize(s);
}
CUDAGRAPH_CAPTURE_REGION void f(cudaStream_t s) {
  if (!capturing3(s))
    cudaStreamSynchronize(s);
}
CUDAGRAPH_CAPTURE_REGION void e2(cudaStream_t s) {
  if (capturing2(s))
    return;
  cudaStreamSynchronize(s);
}
struct Info {
  bool cap;
  int n;
};
bool capturing(cudaStream_t s) { return status(s) != cudaStreamCaptureStatusNone; }
Info info(cudaStream_t s) {
  Info i;
  i.cap = capturing(s);
  i.n = 1;
  return i;
}
Info info2(cudaStream_t s) { return {capturing(s), 1}; }
CUDAGRAPH_CAPTURE_REGION void h(cudaStream_t s) {
  Info i = info(s);
  if (!i.cap)
    cudaStreamSynchronize(s);
}
CUDAGRAPH_CAPTURE_REGION void h2(cudaStream_t s) {
  auto [c, n] = info(s);
  if (!c)
    cudaStreamSynchronize(s);
}
CUDAGRAPH_CAPTURE_REGION void h3(cudaStream_t s) {
  auto i = info2(s);
  if (!i.cap)
    cudaStreamSynchronize(s);
}
CUDAGRAPH_CAPTURE_REGION void h4(cudaStream_t s) {
  if (!info(s).cap)
    cudaStreamSynchronize(s);
}
CUDAGRAPH_CAPTURE_REGION void h5(cudaStream_t s) {
  const Info &i = info(s);
  if (!i.cap)
    cudaStreamSynchronize(s);
}
struct Ctx {
  cudaStream_t s;
  bool cap_ = false;
  cudaStreamCaptureStatus st_;
  void refresh() { cap_ = capturing(s); }
  void refresh2() { st_ = status(s); }
  void refresh3() { cap_ = capturing2(s); }
};
CUDAGRAPH_CAPTURE_REGION void r1(Ctx &c) {
  c.refresh();
  if (!c.cap_)
    cudaStreamSynchronize(c.s);
}
CUDAGRAPH_CAPTURE_REGION void r2(Ctx &c) {
  c.refresh2();
  if (c.st_ == cudaStreamCaptureStatusNone)
    cudaStreamSynchronize(c.s);
}
CUDAGRAPH_CAPTURE_REGION void r3(Ctx &c) {
  c.refresh3();
  if (!c.cap_)
    cudaStreamSynchronize(c.s);
}
