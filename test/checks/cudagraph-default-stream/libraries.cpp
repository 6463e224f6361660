// Library handles: the stream that was set, or none.

// RUN: %check %s cudagraph-default-stream

#include <cublas_v2.h>
#include <cufft.h>
#include <cuda_runtime_api.h>

void none_set(float *a, float *b, float *c, const float *alpha) {
  cublasHandle_t handle;
  cudaStream_t s;
  cudaGraph_t graph;
  cublasCreate(&handle);
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, alpha, a, 8, b, 8, alpha, c, 8);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSgemm' computes on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamEndCapture(s, &graph);
}

void set_before(cublasHandle_t handle, float *a, float *b, float *c, const float *alpha) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cublasSetStream(handle, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, alpha, a, 8, b, 8, alpha, c, 8);
  cudaStreamEndCapture(s, &graph);
}

void set_inside(cublasHandle_t handle, float *a, float *b, float *c, const float *alpha) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSetStream(handle, s);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, alpha, a, 8, b, 8, alpha, c, 8);
  cublasSetStream(handle, nullptr);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, alpha, a, 8, b, 8, alpha, c, 8);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSgemm' computes on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamEndCapture(s, &graph);
}

void set_to_another(cublasHandle_t handle, float *a, float *b, float *c, const float *alpha) {
  cudaStream_t s, other;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cublasSetStream(handle, other);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, alpha, a, 8, b, 8, alpha, c, 8);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSgemm' computes on its stream, which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cudaStreamEndCapture(s, &graph);
}

// A handle created elsewhere may have any stream: no finding.
void unknown_handle(cublasHandle_t handle, float *a, float *b, float *c, const float *alpha) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, alpha, a, 8, b, 8, alpha, c, 8);
  cudaStreamEndCapture(s, &graph);
}

void fft(cufftComplex *data) {
  cufftHandle plan, bound;
  cudaStream_t s;
  cudaGraph_t graph;
  cufftPlan1d(&plan, 1024, CUFFT_C2C, 1);
  cufftPlan1d(&bound, 1024, CUFFT_C2C, 1);
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cufftSetStream(bound, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cufftExecC2C(plan, data, data, -1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cufftExecC2C' transforms on the legacy default stream while 's' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  cufftExecC2C(bound, data, data, -1);
  cudaStreamEndCapture(s, &graph);
}
