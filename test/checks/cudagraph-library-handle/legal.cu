// Handles created before the capture and used in it: no findings.

// RUN: %check %s

#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>

struct Libraries {
  explicit Libraries(cudaStream_t s) {
    cublasCreate_v2(&blas);
    cublasSetStream_v2(blas, s);
    cusolverDnCreate(&solver);
    cusolverDnSetStream(solver, s);
    cufftPlan1d(&plan, 64, CUFFT_C2C, 1);
    cufftSetStream(plan, s);
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    curandSetStream(generator, s);
  }
  ~Libraries() {
    cublasDestroy_v2(blas);
    cusolverDnDestroy(solver);
    cufftDestroy(plan);
    curandDestroyGenerator(generator);
  }
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  cufftHandle plan;
  curandGenerator_t generator;
};

void routines(const Libraries &l, float *x, float *w, int *info, cufftComplex *c,
              cudaStream_t s) {
  const float one = 1;
  cublasSgemm_v2(l.blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x, 1, x, 1, &one,
                 x, 1);
  cufftExecC2C(l.plan, c, c, 1);
  cusolverDnSpotrf(l.solver, CUBLAS_FILL_MODE_LOWER, 1, x, 1, w, 1, info);
  curandGenerateUniform(l.generator, x, 4);
}

void warmed_up(float *x, float *w, int *info, cufftComplex *c, cudaStream_t s,
               cudaGraph_t *g) {
  Libraries l(s);
  routines(l, x, w, info, c, s);
  cudaStreamSynchronize(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  routines(l, x, w, info, c, s);
  cudaStreamEndCapture(s, g);
}
void handed_in(const Libraries &l, float *x, float *w, int *info, cufftComplex *c,
               cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  routines(l, x, w, info, c, s);
  cudaStreamEndCapture(s, g);
}

// A call that only changes the handle is not work.
void settings(cublasHandle_t blas, void *w, float *x, float *result, cudaStream_t s,
              cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSetStream_v2(blas, s);
  cublasSetWorkspace_v2(blas, w, 64);
  cublasSetMathMode(blas, CUBLAS_TENSOR_OP_MATH);
  cublasSetPointerMode_v2(blas, CUBLAS_POINTER_MODE_DEVICE);
  cublasSdot_v2(blas, 4, x, 1, x, 1, result);
  cudaStreamEndCapture(s, g);
}

// In relaxed mode, the libraries may allocate.
void relaxed(cudaStream_t s, cudaGraph_t *g) {
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  curandGenerator_t generator;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cublasCreate_v2(&blas);
  cusolverDnCreate(&solver);
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  cudaStreamEndCapture(s, g);
}
void exchanged(cudaStream_t s, float *x, cudaGraph_t *g) {
  cublasHandle_t blas;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  cublasCreate_v2(&blas);
  cudaMalloc(&x, 4);
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaStreamEndCapture(s, g);
}

// The handle is created on first use, in the warm-up.
cublasHandle_t handle() {
  static cublasHandle_t h = nullptr;
  if (h == nullptr)
    cublasCreate_v2(&h);
  return h;
}
void lazily(float *x, cudaStream_t s, cudaGraph_t *g) {
  const float one = 1;
  cublasSetStream_v2(handle(), s);
  cublasSscal_v2(handle(), 1, &one, x, 1);
  cudaStreamSynchronize(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSscal_v2(handle(), 1, &one, x, 1);
  cudaStreamEndCapture(s, g);
}
