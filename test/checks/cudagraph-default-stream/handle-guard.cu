// A guard that sets the stream of a handle and then restores the previous one.

// RUN: %check %s

#include <cublas_v2.h>

const float one = 1;
#define SCALE(handle, x) cublasSscal_v2(handle, 1, &one, x, 1)

class Guard {
public:
  Guard(cublasHandle_t h, cudaStream_t s) : h(h) {
    cublasGetStream_v2(h, &old);
    cublasSetStream_v2(h, s);
  }
  ~Guard() { cublasSetStream_v2(h, old); }

private:
  cublasHandle_t h;
  cudaStream_t old;
};

void restored(float *x, cudaStream_t s, cudaGraph_t *g) {
  cublasHandle_t h;
  cublasCreate_v2(&h);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    Guard guard(h, s);
    SCALE(h, x);
  }
  SCALE(h, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSscal' computes on the legacy default stream while 's' (global mode) captures
  cudaStreamEndCapture(s, g);
}
void restored_to_the_same(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e, cudaGraph_t *g) {
  cublasHandle_t h;
  cublasCreate_v2(&h);
  cublasSetStream_v2(h, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
  {
    Guard guard(h, t);
    SCALE(h, x);
  }
  cudaEventRecord(e, t);
  cudaStreamWaitEvent(s, e, 0);
  SCALE(h, x);
  cudaStreamEndCapture(s, g);
}
