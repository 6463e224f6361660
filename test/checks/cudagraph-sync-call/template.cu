// Templates: one finding for all instantiations; code that no instantiation
// captures has no findings.

// RUN: %check %s cudagraph-sync-call

__global__ void kernel(float *x);
template <typename T> __global__ void typed(T *x, int n);

template <typename T> void run_and_wait(T *x, cudaStream_t s) {
  typed<T><<<1, 32, 0, s>>>(x, 32);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}

template <bool Wait> void maybe_wait(cudaStream_t s) {
  if constexpr (Wait)
    cudaStreamSynchronize(s);
}

template <int Mode> void by_mode(cudaStream_t s) {
  if (Mode == 1)
    cudaStreamQuery(s);
}

// A policy that a class template calls.
struct Waits {
  static void after(cudaStream_t s) {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  }
};
struct GoesOn {
  static void after(cudaStream_t) {}
};

template <class Policy> class Launcher {
public:
  void launch(float *x, cudaStream_t s) {
    kernel<<<1, 32, 0, s>>>(x);
    Policy::after(s);
  }
};

// CRTP.
template <class Derived> struct Layer {
  void run(cudaStream_t s) { static_cast<Derived *>(this)->forward(s); }
};
struct Dense : Layer<Dense> {
  void forward(cudaStream_t s) {
    cudaDeviceSynchronize();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  }
};
struct Norm : Layer<Norm> {
  void forward(cudaStream_t s) { kernel<<<1, 32, 0, s>>>(nullptr); }
};

// A variadic template that calls each argument in order.
template <class... Fs> void run_all(cudaStream_t s, Fs &&...fs) {
  (fs(s), ...);
}

void capture(float *x, double *y, int *z) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  run_and_wait(x, s);
  run_and_wait(y, s);
  maybe_wait<false>(s);
  by_mode<0>(s);
  Launcher<Waits>().launch(x, s);
  Launcher<GoesOn>().launch(x, s);
  Dense().run(s);
  Norm().run(s);
  run_all(
      s, [&](cudaStream_t t) { kernel<<<1, 32, 0, t>>>(x); },
      [&](cudaStream_t t) {
        cudaStreamSynchronize(t);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamSynchronize' waits for stream 't', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
      });
  cudaStreamEndCapture(s, &graph);
  run_and_wait(z, s);
  maybe_wait<true>(s);
  by_mode<1>(s);
}

// A region in a template that is instantiated.
template <class F> cudaGraph_t capture_with(cudaStream_t s, F &&body) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  body(s);
  cudaStreamEndCapture(s, &graph);
  return graph;
}

void user(float *x) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  capture_with(s, [x](cudaStream_t t) { kernel<<<1, 32, 0, t>>>(x); });
  capture_with(s, [x](cudaStream_t t) {
    kernel<<<1, 32, 0, t>>>(x);
    cudaStreamSynchronize(t);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 't', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  });
}
