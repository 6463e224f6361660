// The same, but the handle is used before the capture.

// RUN: %check %s cudagraph-library-handle

#include <cublas_v2.h>

class Blas {
public:
  cublasHandle_t get() {
    if (!handle_)
      cublasCreate_v2(&handle_);
    return handle_;
  }
  void scale(float *x, cudaStream_t s) {
    const float half = 0.5f;
    cublasSetStream_v2(get(), s);
    cublasSscal_v2(get(), 1, &half, x, 1);
  }

private:
  cublasHandle_t handle_ = nullptr;
};

void warmed_up(float *x, cudaStream_t s, cudaGraph_t *g) {
  Blas blas;
  blas.scale(x, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  blas.scale(x, s);
  cudaStreamEndCapture(s, g);
}
