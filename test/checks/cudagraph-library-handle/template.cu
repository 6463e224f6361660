// An owner for any kind of handle.

// RUN: %check %s cudagraph-library-handle

#include <cublas_v2.h>
#include <curand.h>

struct Blas {
  using type = cublasHandle_t;
  static void make(type *h) { cublasCreate_v2(h); }
  // CHECK-MESSAGES: :[[@LINE-1]]:31: warning: 'cublasCreate' creates a cuBLAS handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
  static void unmake(type h) { cublasDestroy_v2(h); }
  // CHECK-MESSAGES: :[[@LINE-1]]:32: warning: 'cublasDestroy' destroys a cuBLAS handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode inside the library, which returns its own status [cudagraph-library-handle]
};
struct Rand {
  using type = curandGenerator_t;
  static void make(type *h) { curandCreateGenerator(h, CURAND_RNG_PSEUDO_DEFAULT); }
  static void unmake(type h) { curandDestroyGenerator(h); }
};
template <class Kind> class Owner {
public:
  Owner() { Kind::make(&h_); }
  ~Owner() { Kind::unmake(h_); }

private:
  typename Kind::type h_;
};

void capture(cudaStream_t s, cudaGraph_t *g) {
  Owner<Rand> before;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    Owner<Blas> inside;
  }
  cudaStreamEndCapture(s, g);
}
