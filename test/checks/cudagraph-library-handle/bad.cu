// Handles, plans, and generators in a capture.

// RUN: %check %s cudagraph-library-handle

#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>

void created(cudaStream_t s, cudaGraph_t *g) {
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  curandGenerator_t generator;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasCreate_v2(&blas);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasCreate' creates a cuBLAS handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
  cusolverDnCreate(&solver);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cusolverDnCreate' creates a cuSOLVER handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'curandCreateGenerator' creates a cuRAND generator while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
  cudaStreamEndCapture(s, g);
}
void created_thread_local(cudaStream_t s, cudaGraph_t *g) {
  cublasHandle_t blas;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cublasCreate_v2(&blas);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasCreate' creates a cuBLAS handle while 's' (thread-local mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in thread-local mode inside the library, which returns its own status [cudagraph-library-handle]
  cudaStreamEndCapture(s, g);
}

// The effect of a plan depends on the capturing stream.
void planned(cudaGraph_t *g) {
  cufftHandle plan;
  cudaStream_t blocking;
  cudaStreamCreate(&blocking);
  cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed);
  cufftPlan1d(&plan, 64, CUFFT_C2C, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cufftPlan1d' creates a cuFFT plan while 'blocking' (blocking, relaxed mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in relaxed mode inside the library, which returns its own status [cudagraph-library-handle]
  cudaStreamEndCapture(blocking, g);
}
void planned_first(cudaGraph_t *g) {
  cufftHandle plan;
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cufftPlan1d(&plan, 64, CUFFT_C2C, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cufftPlan1d' creates a cuFFT plan while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the arguments select more than the basic form, or the call is the first use [cudagraph-library-handle]
  cudaStreamEndCapture(s, g);
}

// Destruction: cuBLAS and cuSOLVER wait for the device in every mode.
void destroyed(cublasHandle_t blas, cusolverDnHandle_t solver, cufftHandle plan,
               curandGenerator_t generator, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cublasDestroy_v2(blas);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasDestroy' destroys a cuBLAS handle while 's' (relaxed mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode inside the library, which returns its own status [cudagraph-library-handle]
  cusolverDnDestroy(solver);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cusolverDnDestroy' destroys a cuSOLVER handle while 's' (relaxed mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode inside the library, which returns its own status [cudagraph-library-handle]
  cufftDestroy(plan);
  curandDestroyGenerator(generator);
  cudaStreamEndCapture(s, g);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cufftDestroy(plan);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cufftDestroy' destroys a cuFFT plan while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
  curandDestroyGenerator(generator);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'curandDestroyGenerator' destroys a cuRAND generator or distribution while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
  cudaStreamEndCapture(s, g);
}
