// The stream of a handle, followed from the call that sets it to its use.

// RUN: %check %s

#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <nccl.h>

const float one = 1;
#define SCALE(handle, x) cublasSscal_v2(handle, 1, &one, x, 1)

struct Context {
  cublasHandle_t blas = nullptr;
  cudaStream_t stream = nullptr;
  cublasHandle_t get() { return blas; }
  cublasHandle_t &ref() { return blas; }
  void use() { cublasSetStream_v2(blas, stream); }
};
struct Owner {
  cublasHandle_t blas;
  Owner() { cublasCreate_v2(&blas); }
  ~Owner() { cublasDestroy_v2(blas); }
};

// No stream is set, so the handle uses the legacy default stream.
void never(float *x, cudaStream_t s, cudaGraph_t *g) {
  cublasHandle_t blas;
  cublasCreate_v2(&blas);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(blas, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSscal' computes on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-default-stream]
  cudaStreamEndCapture(s, g);
}
void never_in_a_class(float *x, cudaStream_t s, cudaGraph_t *g) {
  Owner owner;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(owner.blas, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSscal' computes on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-default-stream]
  cudaStreamEndCapture(s, g);
}
// A null stream selects the default stream again.
void reset(cublasHandle_t blas, float *x, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(blas, s);
  cublasSetStream_v2(blas, nullptr);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(blas, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSscal' computes on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-default-stream]
  cudaStreamEndCapture(s, g);
}
// A different stream, through a member and an accessor.
void other(Context &c, float *x, cudaGraph_t *g) {
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cublasSetStream_v2(c.blas, t);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(c.get(), x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSscal' computes on its stream, which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamEndCapture(s, g);
}
// Each library, before and after its stream is set.
void each(float *x, float *w, int *info, cufftComplex *c, ncclComm_t comm,
          cudaStream_t s, cudaGraph_t *g) {
  cufftHandle plan;
  cusolverDnHandle_t solver;
  curandGenerator_t generator;
  cufftPlan1d(&plan, 64, CUFFT_C2C, 1);
  cusolverDnCreate(&solver);
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandGenerateUniform(generator, x, 4);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cufftExecC2C(plan, c, c, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cufftExecC2C' transforms on the legacy default stream while 's' (global mode) captures
  cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 1, x, 1, w, 1, info);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cusolverDnSpotrf' computes on the legacy default stream while 's' (global mode) captures
  curandGenerateUniform(generator, x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'curandGenerateUniform' generates random numbers from a generator of the host API on the legacy default stream while 's' (global mode) captures
  ncclAllGather(x, x, 1, ncclFloat, comm, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'ncclAllGather' communicates on the legacy default stream while 's' (global mode) captures
  cufftSetStream(plan, s);
  cusolverDnSetStream(solver, s);
  curandSetStream(generator, s);
  cufftExecC2C(plan, c, c, 1);
  cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 1, x, 1, w, 1, info);
  curandGenerateUniform(generator, x, 4);
  ncclAllGather(x, x, 1, ncclFloat, comm, s);
  cudaStreamEndCapture(s, g);
}

// The capturing stream, set elsewhere: no finding.
void member(Context &c, float *x, cudaGraph_t *g) {
  c.use();
  cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeGlobal);
  SCALE(c.blas, x);
  SCALE(c.get(), x);
  cudaStreamEndCapture(c.stream, g);
}
void reference(Context &c, float *x, cudaGraph_t *g) {
  cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeGlobal);
  cublasSetStream_v2(c.get(), c.stream);
  SCALE(c.ref(), x);
  cudaStreamEndCapture(c.stream, g);
}
// A stream that is forked from the capture, and then the origin again.
void forked(cublasHandle_t blas, float *x, cudaStream_t s, cudaStream_t t,
            cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
  cublasSetStream_v2(blas, t);
  SCALE(blas, x);
  cudaEventRecord(e, t);
  cudaStreamWaitEvent(s, e, 0);
  cublasSetStream_v2(blas, s);
  SCALE(blas, x);
  cudaStreamEndCapture(s, g);
}
// Nothing is known about the stream of a handle that is a parameter.
void unknown(cublasHandle_t blas, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(blas, x);
  cudaStreamEndCapture(s, g);
}
