// --roots=stream-param: both outcomes, because kind and mode are unknown.

// RUN: %check %s --roots=stream-param

__global__ void k(float *x);
void a(float *x, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
}
void b(float *x, cudaStream_t s) { k<<<1, 1>>>(x); }
  // CHECK-MESSAGES: :[[@LINE-1]]:36: warning: {{.*}}(906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking
void c(float *x) {
  k<<<1, 1>>>(x);
  cudaDeviceSynchronize();
}
static void d(float *x, cudaStream_t s) { cudaStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:43: warning: 'cudaStreamSynchronize'
void e(float *x, CUstream_st *s) { cudaMalloc(&x, 1); }
  // CHECK-MESSAGES: :[[@LINE-1]]:36: warning: 'cudaMalloc'
void f(float *x, cudaStream_t s) {
helper:
  cudaMemcpy(x, x, 4, cudaMemcpyDeviceToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy'
}
void f2(float *x, cudaStream_t s = 0) {
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDeviceToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync'
}
namespace {
void g(cudaStream_t s) { cudaStreamSynchronize(s); }
} // namespace
struct C {
  void m(cudaStream_t s) { cudaStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:28: warning: 'cudaStreamSynchronize'
  static void sm(const cudaStream_t &s) { cudaStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:43: warning: 'cudaStreamSynchronize'
  C(cudaStream_t s) { cudaDeviceSynchronize(); }
  // CHECK-MESSAGES: :[[@LINE-1]]:23: warning: 'cudaDeviceSynchronize'
};
template <class T> void t(T *x, cudaStream_t s) { cudaFree(x); }
  // CHECK-MESSAGES: :[[@LINE-1]]:51: warning: 'cudaFree'
template void t<float>(float *, cudaStream_t);
void two(float *x, cudaStream_t s, cudaStream_t s2) {
  k<<<1, 1, 0, s>>>(x);
  k<<<1, 1, 0, s2>>>(x);
}
void callsD(float *x, cudaStream_t s) { d(x, s); }
void ok(float *x, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(x);
  cudaMemcpyAsync(x, x, 4, cudaMemcpyDeviceToDevice, s);
  cudaMemsetAsync(x, 0, 4, s);
}
void creates(cudaGraph_t *gr, float *x, cudaStream_t s) {
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaEventRecord(e, s);
  cudaEventDestroy(e);
}

// A function that captures its stream itself is not called in a capture of that
// stream; one that first tests for a capture may be.
void captures(float *x, cudaStream_t s) {
  cudaGraph_t g;
  cudaStreamSynchronize(s);
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return;
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, &g);
}
struct Recording {
  cudaStream_t s;
  cudaGraph_t g;
  explicit Recording(cudaStream_t s) : s(s) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  ~Recording() { cudaStreamEndCapture(s, &g); }
};
void records(float *x, cudaStream_t s) {
  cudaStreamSynchronize(s);
  Recording r(s);
  k<<<1, 1, 0, s>>>(x);
}
void may_capture(float *x, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusNone)
    captures(x, s);
  else
    k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
}
static void capture_only(float *x, cudaStream_t s) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, &g);
}
void captures_other(float *x, cudaStream_t s, cudaStream_t other) {
  capture_only(x, other);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
}
