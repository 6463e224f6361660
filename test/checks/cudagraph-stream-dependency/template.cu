// Templates: instantiations are analyzed; one finding represents all of them.

// RUN: %check %s cudagraph-stream-dependency

__global__ void k(float *x);

template <bool Join>
void beside(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e) {
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
  k<<<1, 1, 0, t>>>(x);
  if constexpr (Join) {
    cudaEventRecord(e, t);
    cudaStreamWaitEvent(s, e, 0);
  }
}

template <int N> struct Streams {
  cudaStream_t stream[N];
  cudaEvent_t fork, join[N];
  void begin(cudaStream_t s) {
    cudaEventRecord(fork, s);
    for (int i = 0; i < N; ++i)
      cudaStreamWaitEvent(stream[i], fork, 0);
  }
  void end(cudaStream_t s) {
    for (int i = 0; i < N; ++i) {
      cudaEventRecord(join[i], stream[i]);
      cudaStreamWaitEvent(s, join[i], 0);
    }
  }
};

template <class F> void capture(cudaStream_t s, cudaGraph_t *g, F &&body) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  body();
  cudaStreamEndCapture(s, g);
}

void use(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e, Streams<4> &four,
         Streams<2> &two, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  beside<true>(x, s, t, e);
  cudaStreamEndCapture(s, g);

  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  beside<false>(x, s, t, e);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work {{.*}}stream{{.*}}; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]

  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  four.begin(s);
  for (auto each : four.stream)
    k<<<1, 1, 0, each>>>(x);
  four.end(s);
  cudaStreamEndCapture(s, g);

  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  two.begin(s);
  for (auto each : two.stream)
    k<<<1, 1, 0, each>>>(x);
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work {{.*}}stream{{.*}}; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

void use_callable(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e,
                  cudaGraph_t *g) {
  capture(s, g, [=] { beside<true>(x, s, t, e); });
}
