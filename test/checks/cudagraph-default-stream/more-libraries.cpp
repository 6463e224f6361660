// cuDNN, cuSPARSE, and cuBLASLt. The declarations that the analysis needs from
// their headers are below.

// RUN: %check %s

#include <cuda_runtime_api.h>

extern "C" {
typedef struct cudnnContext *cudnnHandle_t;
int cudnnCreate(cudnnHandle_t *handle);
int cudnnDestroy(cudnnHandle_t handle);
int cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream);
int cudnnSoftmaxForward(cudnnHandle_t handle, int algo, int mode, const void *alpha,
                        void *xDesc, const void *x, const void *beta, void *yDesc,
                        void *y);
typedef struct cusparseContext *cusparseHandle_t;
int cusparseCreate(cusparseHandle_t *handle);
int cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
int cusparseSpMV_bufferSize(cusparseHandle_t handle, int op, const void *alpha, void *a,
                            void *x, const void *beta, void *y, int type, int alg,
                            size_t *size);
int cusparseSpMV(cusparseHandle_t handle, int op, const void *alpha, void *a, void *x,
                 const void *beta, void *y, int type, int alg, void *buffer);
typedef struct cublasLtContext *cublasLtHandle_t;
int cublasLtMatmul(cublasLtHandle_t handle, void *desc, const void *alpha, const void *a,
                   void *aDesc, const void *b, void *bDesc, const void *beta,
                   const void *c, void *cDesc, void *d, void *dDesc, const void *algo,
                   void *workspace, size_t size, cudaStream_t stream);
}

const float one = 1;
#define SOFTMAX(h, x) cudnnSoftmaxForward(h, 0, 0, &one, nullptr, x, &one, nullptr, x)

void dnn(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudnnHandle_t h;
  cudnnCreate(&h);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SOFTMAX(h, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudnnSoftmaxForward' computes on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-default-stream]
  cudnnSetStream(h, s);
  SOFTMAX(h, x);
  cudaStreamEndCapture(s, g);
}
void dnn_other(cudnnHandle_t h, float *x, cudaGraph_t *g) {
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudnnSetStream(h, t);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SOFTMAX(h, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudnnSoftmaxForward' computes on its stream, which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamEndCapture(s, g);
}
void dnn_handle(cudaStream_t s, cudaGraph_t *g) {
  cudnnHandle_t h;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudnnCreate(&h);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudnnCreate' creates a cuDNN handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
  cudnnDestroy(h);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudnnDestroy' destroys a cuDNN handle while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode inside the library, which returns its own status [cudagraph-library-handle]
  cudaStreamEndCapture(s, g);
}
void sparse(void *a, void *x, void *buffer, cudaStream_t s, cudaGraph_t *g) {
  cusparseHandle_t h;
  size_t size;
  cusparseCreate(&h);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cusparseSpMV(h, 0, &one, a, x, &one, x, 0, 0, buffer);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cusparseSpMV' computes on the legacy default stream while 's' (global mode) captures
  cusparseSetStream(h, s);
  cusparseSpMV_bufferSize(h, 0, &one, a, x, &one, x, 0, 0, &size);
  cusparseSpMV(h, 0, &one, a, x, &one, x, 0, 0, buffer);
  cudaStreamEndCapture(s, g);
}
// cuBLASLt has a stream argument in each call.
void lt(cublasLtHandle_t h, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasLtMatmul(h, nullptr, &one, x, nullptr, x, nullptr, &one, x, nullptr, x, nullptr,
                 nullptr, nullptr, 0, nullptr);
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: 'cublasLtMatmul' computes on the legacy default stream while 's' (global mode) captures
  cublasLtMatmul(h, nullptr, &one, x, nullptr, x, nullptr, &one, x, nullptr, x, nullptr,
                 nullptr, nullptr, 0, s);
  cudaStreamEndCapture(s, g);
}
