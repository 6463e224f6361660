// A function without source that receives a default stream works on it; one
// that returns a stream returns a stream other than its argument.

// RUN: %check %s --roots=stream-param

void launch_norm(float *x, int n, cudaStream_t s);
template <class T> void launch_any(T *x, int n, cudaStream_t s = nullptr);
template <class T, class P> cudaError_t pass_on(P p, T *x, bool fast, cudaStream_t s);
struct Norm {
  void run(float *x, cudaStream_t s = 0);
};
void init_norm(float *x, cudaStream_t s);
void use_stream(cudaStream_t s);
cudaStream_t side_stream(int i);
cudaStream_t stream_beside(cudaStream_t s);
__global__ void kernel(float *x);

void given(float *x, int n, cudaStream_t s) {
  Norm norm;
  launch_norm(x, n, nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'launch_norm' enqueues its work on the legacy default stream while 's' captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking
  launch_any(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'launch_any' enqueues its work on the legacy default stream
  pass_on<float>(3, x, true, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'pass_on' enqueues its work on the legacy default stream
  norm.run(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'Norm::run' enqueues its work on the legacy default stream
  launch_norm(x, n, s);
  init_norm(x, nullptr);
  use_stream(nullptr);
}

void side(float *x, cudaStream_t s) {
  kernel<<<1, 1, 0, side_stream(0)>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'side_stream(0)'; the work runs once, at capture, and is not in the graph
  kernel<<<1, 1, 0, stream_beside(s)>>>(x);
}

// A function that received the stream may return it.
void used(float *x, cudaStream_t s) {
  use_stream(s);
  kernel<<<1, 1, 0, side_stream(0)>>>(x);
}
