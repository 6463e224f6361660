// A library's work in another thread, on the stream of its handle.

// RUN: %check %s cudagraph-concurrent-work

#include <cublas_v2.h>
#include <thread>

void default_stream(float *x, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::thread t([x]() mutable {
    cublasHandle_t own;
    cublasCreate(&own);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasCreate' creates a cuBLAS handle while 's' (blocking, global mode) captures; {{.*}} [cudagraph-concurrent-work]
    cublasSetStream(own, 0);
    cublasSgemm(own, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, x, x, 1, x, 1, x, x, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasSgemm' computes on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
    cudaMallocAsync((void **)&x, 4, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMallocAsync' allocates memory on the legacy default stream while 's' (blocking, global mode) captures; {{.*}} [cudagraph-concurrent-work]
  });
  t.join();
  cudaStreamEndCapture(s, g);
}
