// The initializer of a static variable runs once.

// RUN: %check %s

#include <cublas_v2.h>
#include <mutex>

const float one = 1;
#define SCALE(handle, x) cublasSscal_v2(handle, 1, &one, x, 1)

cublasHandle_t make() {
  cublasHandle_t made;
  cublasCreate_v2(&made);
  return made;
}
cublasHandle_t from_a_function() {
  static cublasHandle_t h = make();
  return h;
}
cublasHandle_t of_the_thread() {
  thread_local cublasHandle_t h = make();
  return h;
}
cublasHandle_t from_a_lambda() {
  static cublasHandle_t h = [] {
    cublasHandle_t made;
    cublasCreate_v2(&made);
    return made;
  }();
  return h;
}
struct Blas {
  cublasHandle_t h;
  Blas() { cublasCreate_v2(&h); }
  static Blas &get() {
    static Blas blas;
    return blas;
  }
};
cublasHandle_t called_once() {
  static cublasHandle_t h;
  static std::once_flag flag;
  std::call_once(flag, [] { cublasCreate_v2(&h); });
  return h;
}

// An earlier use creates the object, which is retained with its stream.
void function(float *x, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(from_a_function(), s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(from_a_function(), x);
  cudaStreamEndCapture(s, g);
}
void thread(float *x, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(of_the_thread(), s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(of_the_thread(), x);
  cudaStreamEndCapture(s, g);
}
void lambda(float *x, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(from_a_lambda(), s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(from_a_lambda(), x);
  cudaStreamEndCapture(s, g);
}
void object(float *x, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(Blas::get().h, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(Blas::get().h, x);
  cudaStreamEndCapture(s, g);
}
void once(float *x, cudaStream_t s, cudaGraph_t *g) {
  cublasSetStream_v2(called_once(), s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(called_once(), x);
  cudaStreamEndCapture(s, g);
}
// An earlier use creates the object, but does not set its stream.
void never_set(float *x, cudaStream_t s, cudaGraph_t *g) {
  from_a_function();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(from_a_function(), x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSscal' computes on the legacy default stream while 's' (global mode) captures; {{.*}} [cudagraph-default-stream]
  cudaStreamEndCapture(s, g);
}

// The first use is in the capture.
struct Lazy {
  cublasHandle_t h;
  Lazy() { cublasCreate_v2(&h); }
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cublasCreate' creates a cuBLAS handle while 's' (global mode) captures; {{.*}} [cudagraph-library-handle]
  static Lazy &get() {
    static Lazy lazy;
    return lazy;
  }
};
cublasHandle_t lazy_lambda() {
  static cublasHandle_t h = [] {
    cublasHandle_t made;
    cublasCreate_v2(&made);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasCreate' creates a cuBLAS handle while 's' (global mode) captures; {{.*}} [cudagraph-library-handle]
    return made;
  }();
  return h;
}
cublasHandle_t lazy_once() {
  static cublasHandle_t h;
  static std::once_flag flag;
  std::call_once(flag, [] {
    cublasCreate_v2(&h);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasCreate' creates a cuBLAS handle while 's' (global mode) captures; {{.*}} [cudagraph-library-handle]
  });
  return h;
}
float *lazy_memory() {
  static float *p = [] {
    float *made;
    cudaMalloc((void **)&made, 4);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures; {{.*}} [cudagraph-device-allocation]
    return made;
  }();
  return p;
}
void first_use(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSetStream_v2(Lazy::get().h, s);
  cublasSetStream_v2(lazy_lambda(), s);
  cublasSetStream_v2(lazy_once(), s);
  cudaMemsetAsync(lazy_memory(), 0, 4, s);
  SCALE(Lazy::get().h, x);
  SCALE(lazy_lambda(), x);
  SCALE(lazy_once(), x);
  cudaStreamEndCapture(s, g);
}
// The object is used earlier on only one path: it may not exist.
void perhaps(bool used, float *x, cudaStream_t s, cudaGraph_t *g) {
  if (used)
    cublasSetStream_v2(from_a_function(), s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  SCALE(from_a_function(), x);
  cudaStreamEndCapture(s, g);
}
