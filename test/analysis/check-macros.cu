// The begin call, the work, and the end call in every style of error check: the
// region is the same, and the failure branch of a check ends it.

// RUN: %check %s

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
__global__ void k(float *x);
#define CHECK(e)                                                                       \
  do {                                                                                 \
    cudaError_t err_ = (e);                                                            \
    if (err_ != cudaSuccess) {                                                         \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));     \
      exit(1);                                                                         \
    }                                                                                  \
  } while (0)
void m_exit(float *x, cudaGraph_t *g, cudaStream_t s) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, s>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamSynchronize'
  CHECK(cudaStreamEndCapture(s, g));
  CHECK(cudaStreamSynchronize(s));
}
#define RET(e)                                                                         \
  do {                                                                                 \
    cudaError_t err_ = (e);                                                            \
    if (err_ != cudaSuccess)                                                           \
      return err_;                                                                     \
  } while (0)
cudaError_t m_ret(float *x, cudaGraph_t *g, cudaStream_t s) {
  RET(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, s>>>(x);
  RET(cudaGetLastError());
  RET(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize'
  RET(cudaStreamEndCapture(s, g));
  RET(cudaStreamSynchronize(s));
  return cudaSuccess;
}
cudaError_t m_ret_caller(float *x, cudaGraph_t *g, cudaStream_t s) {
  RET(m_ret(x, g, s));
  RET(cudaStreamSynchronize(s));
  return cudaDeviceSynchronize();
}
#define THROW(e)                                                                       \
  if (auto err_ = (e); err_ != cudaSuccess)                                            \
  throw std::runtime_error(cudaGetErrorString(err_))
void m_throw(float *x, cudaGraph_t *g, cudaStream_t s) {
  THROW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, s>>>(x);
  THROW(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamSynchronize'
  THROW(cudaStreamEndCapture(s, g));
  THROW(cudaStreamSynchronize(s));
}
#define SE(e)                                                                          \
  ({                                                                                   \
    cudaError_t err_ = (e);                                                            \
    if (err_ != cudaSuccess)                                                           \
      abort();                                                                         \
    err_;                                                                              \
  })
void m_se(float *x, cudaGraph_t *g, cudaStream_t s) {
  SE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SE(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:6: warning: 'cudaStreamSynchronize'
  SE(cudaStreamEndCapture(s, g));
  SE(cudaStreamSynchronize(s));
}
inline void gpuAssert(cudaError_t code, const char *file, int line,
                      bool abort_ = true) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort_)
      exit(code);
  }
}
#define gpuErrchk(ans)                                                                 \
  {                                                                                    \
    gpuAssert((ans), __FILE__, __LINE__);                                              \
  }
void m_ga(float *x, cudaGraph_t *g, cudaStream_t s) {
  gpuErrchk(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  gpuErrchk(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'cudaStreamSynchronize'
  gpuErrchk(cudaStreamEndCapture(s, g));
  gpuErrchk(cudaStreamSynchronize(s));
}
template <class F> void run_checked(F f) {
  cudaError_t e = f();
  if (e != cudaSuccess)
    throw std::runtime_error("x");
}
void m_lam(float *x, cudaGraph_t *g, cudaStream_t s) {
  auto check = [](cudaError_t e, const char *w) {
    if (e != cudaSuccess) {
      fprintf(stderr, "%s\n", w);
      std::abort();
    }
  };
  check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "begin");
  check(cudaStreamSynchronize(s), "sync");
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamSynchronize'
  check(cudaStreamEndCapture(s, g), "end");
  check(cudaStreamSynchronize(s), "sync");
  run_checked([&] { return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); });
  run_checked([&] {
    return cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaStreamSynchronize'
  });
  run_checked([&] { return cudaStreamEndCapture(s, g); });
  run_checked([&] { return cudaStreamSynchronize(s); });
}
bool ok(cudaError_t e) { return e == cudaSuccess; }
bool m_bool(float *x, cudaGraph_t *g, cudaStream_t s) {
  if (!ok(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)))
    return false;
  if (!ok(cudaStreamSynchronize(s)))
    return false;
  // CHECK-MESSAGES: :[[@LINE-2]]:11: warning: 'cudaStreamSynchronize'
  // CHECK-MESSAGES: :[[@LINE-2]]:5: warning: this return leaves 's' (global mode) capturing
  if (!ok(cudaStreamEndCapture(s, g))) {
    cudaDeviceSynchronize();
    return false;
  }
  return ok(cudaStreamSynchronize(s));
}
cudaError_t m_and(float *x, cudaGraph_t *g, cudaStream_t s) {
  cudaError_t e;
  if ((e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)) == cudaSuccess &&
      (e = cudaStreamSynchronize(s)) == cudaSuccess &&
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaStreamSynchronize'
      (e = cudaStreamEndCapture(s, g)) == cudaSuccess &&
      (e = cudaStreamSynchronize(s)) == cudaSuccess) {
    return cudaDeviceSynchronize();
  }
  // A failing wait does not end the capture.
  return e;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this return leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
}
cudaError_t m_goto(float *x, cudaGraph_t *g, cudaStream_t s) {
  cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (e != cudaSuccess)
    goto fail;
  k<<<1, 1, 0, s>>>(x);
  e = cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize'
  if (e != cudaSuccess)
    goto fail;
  e = cudaStreamEndCapture(s, g);
  if (e != cudaSuccess)
    goto fail;
  return cudaStreamSynchronize(s);
fail:
  cudaDeviceSynchronize();
  printf("failed\n");
  return e;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this return leaves 's' (global mode) capturing
}
