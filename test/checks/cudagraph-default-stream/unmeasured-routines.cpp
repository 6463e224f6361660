// Routines that are only known to work on the stream of their handle: if this
// is not the capturing stream, no more needs to be known.

// RUN: %check %s

#include <cuda_runtime_api.h>

extern "C" {
typedef struct cublasContext *cublasHandle_t;
int cublasCreate_v2(cublasHandle_t *handle);
int cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
int cublasDtpttr(cublasHandle_t handle, int uplo, int n, const double *ap, double *a,
                 int lda);
typedef struct cusolverDnContext *cusolverDnHandle_t;
int cusolverDnCreate(cusolverDnHandle_t *handle);
int cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
int cusolverDnDorgqr(cusolverDnHandle_t handle, int m, int n, int k, double *a, int lda,
                     const double *tau, double *work, int lwork, int *info);
typedef struct cudnnContext *cudnnHandle_t;
int cudnnCreate(cudnnHandle_t *handle);
int cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream);
int cudnnScaleTensor(cudnnHandle_t handle, void *desc, void *y, const void *alpha);
typedef struct cusparseContext *cusparseHandle_t;
int cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
int cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, void *info, int *position);
typedef struct ncclComm *ncclComm_t;
int ncclGroupStart();
int ncclGroupEnd();
int ncclSend(const void *buffer, size_t count, int type, int peer, ncclComm_t comm,
             cudaStream_t stream);
}

const float one = 1;

void unset(double *x, int *info, cudaStream_t s, cudaGraph_t *g) {
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  cudnnHandle_t dnn;
  cublasCreate_v2(&blas);
  cusolverDnCreate(&solver);
  cudnnCreate(&dnn);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasDtpttr(blas, 0, 1, x, x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasDtpttr' computes on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-default-stream]
  cusolverDnDorgqr(solver, 1, 1, 1, x, 1, x, x, 1, info);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cusolverDnDorgqr' computes on the legacy default stream while 's' (global mode) captures
  cudnnScaleTensor(dnn, nullptr, x, &one);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudnnScaleTensor' computes on the legacy default stream while 's' (global mode) captures
  cublasSetStream_v2(blas, s);
  cusolverDnSetStream(solver, s);
  cudnnSetStream(dnn, s);
  cublasDtpttr(blas, 0, 1, x, x, 1);
  cusolverDnDorgqr(solver, 1, 1, 1, x, 1, x, x, 1, info);
  cudnnScaleTensor(dnn, nullptr, x, &one);
  cudaStreamEndCapture(s, g);
}
// cuSPARSE documents that this routine waits.
void pivot(cusparseHandle_t sparse, void *info, int *position, cudaStream_t s,
           cudaGraph_t *g) {
  cusparseSetStream(sparse, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cusparseXcsrilu02_zeroPivot(sparse, info, position);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cusparseXcsrilu02_zeroPivot' finds the position of a zero pivot and waits for it on its stream, which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  cudaStreamEndCapture(s, g);
}
// In a group, each call also has a stream.
void group(ncclComm_t comm, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  ncclGroupStart();
  ncclSend(x, 1, 7, 0, comm, s);
  ncclSend(x, 1, 7, 1, comm, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'ncclSend' communicates on the legacy default stream while 's' (global mode) captures
  ncclGroupEnd();
  cudaStreamEndCapture(s, g);
}
