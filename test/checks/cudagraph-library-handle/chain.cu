// The handle is created on first use, several calls away.

// RUN: %check %s cudagraph-library-handle

#include <cublas_v2.h>

class Blas {
public:
  cublasHandle_t get() {
    if (!handle_)
      cublasCreate_v2(&handle_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cublasCreate' creates a cuBLAS handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
    return handle_;
  }
  void scale(float *x, cudaStream_t s) {
    const float half = 0.5f;
    cublasSetStream_v2(get(), s);
    // CHECK-NOTES: :[[@LINE-1]]:24: note: calls 'Blas::get'
    cublasSscal_v2(get(), 1, &half, x, 1);
  }

private:
  cublasHandle_t handle_ = nullptr;
};

void first_use(float *x, cudaStream_t s, cudaGraph_t *g) {
  Blas blas;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (global mode) begins here
  blas.scale(x, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'Blas::scale'
  cudaStreamEndCapture(s, g);
}
