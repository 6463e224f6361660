// Begin and end calls under one flag, with a return between them that does not
// depend on the flag.

// RUN: %check %s cudagraph-capture-scope

__global__ void k(float *x);
bool step(float *x, cudaStream_t s, int layer);

int early(float *x, cudaStream_t s, bool warm, bool only, cudaGraph_t *g) {
  bool recording = false, supported = true;
  recording = warm || only;
  if (recording)
    (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < 4 && supported; ++i) {
    k<<<1, 1, 0, s>>>(x);
    if (!step(x, s, i))
      supported = false;
  }
  if (!supported)
    return -1;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 's' (thread-local mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  if (recording) {
    (void)cudaStreamEndCapture(s, g);
    if (only)
      return 0;
  }
  return 0;
}

struct Engine {
  bool graphs_;
  cudaStream_t s_;
  cudaGraph_t g_;
  int run(float *x, int n) {
    if (graphs_)
      (void)cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(x);
    if (n > 8)
      return -1;
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's_'
    if (graphs_)
      (void)cudaStreamEndCapture(s_, &g_);
    return 0;
  }
};

// Legal twins: the return is for paths without a capture, the capture ends
// before it, or nothing shows that the two conditions are equal.
int eager(float *x, cudaStream_t s, bool recording, bool bad, cudaGraph_t *g) {
  if (recording)
    (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  k<<<1, 1, 0, s>>>(x);
  if (bad && !recording)
    return -1;
  if (recording)
    (void)cudaStreamEndCapture(s, g);
  return 0;
}
int ended(float *x, cudaStream_t s, bool recording, bool bad, cudaGraph_t *g) {
  if (recording)
    (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  k<<<1, 1, 0, s>>>(x);
  if (bad) {
    if (recording)
      (void)cudaStreamEndCapture(s, g);
    return -1;
  }
  if (recording)
    (void)cudaStreamEndCapture(s, g);
  return 0;
}
bool wantsGraph(int n);
bool isEager(int n);
int unrelated(float *x, cudaStream_t s, int n, cudaGraph_t *g) {
  if (wantsGraph(n))
    (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  k<<<1, 1, 0, s>>>(x);
  if (isEager(n))
    return 0;
  (void)cudaStreamEndCapture(s, g);
  return 0;
}
