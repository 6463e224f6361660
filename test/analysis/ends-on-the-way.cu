// If a capture ends under an undecidable condition before a call, nothing is
// reported about the call. If each iteration of a loop begins a capture, it is
// sufficient that one iteration does not end its capture.

// RUN: %check %s

__global__ void k(float *x);
void first_and_last(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  for (int i = 0; i < n; ++i) {
    if (i == 0)
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s>>>(x);
    if (i == n - 1)
      cudaStreamEndCapture(s, g);
  }
  cudaStreamSynchronize(s);
}
void first_and_last_bad(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  for (int i = 0; i < n; ++i) {
    if (i == 0)
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s>>>(x);
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
    if (i == n - 1)
      cudaStreamEndCapture(s, g);
  }
}
void by_turns(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  for (int i = 0; i < n; ++i) {
    if (i % 2 == 0)
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s>>>(x);
    if (i % 2 == 1)
      cudaStreamEndCapture(s, g);
  }
}
void one_round_does_not_end(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  for (int i = 0; i < n; ++i) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamBeginCapture' begins a capture on stream 's', which is capturing
    k<<<1, 1, 0, s>>>(x);
    if (i != 7)
      cudaStreamEndCapture(s, g);
  }
}
static void one_is_left(int n, cudaStream_t s, cudaGraph_t *g) {
  for (int i = 0; i < n; ++i) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamBeginCapture' begins a capture on stream 's', which is capturing
    if (i != 7)
      cudaStreamEndCapture(s, g);
  }
}
void left_on_one_stream(int n, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  one_is_left(n, s, g);
}
cudaStream_t shared;
void left_on_a_global_stream(int n, cudaGraph_t *g) {
  for (int i = 0; i < n; ++i) {
    cudaStreamBeginCapture(shared, cudaStreamCaptureModeGlobal);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamBeginCapture' begins a capture on stream 'shared', which is capturing
    if (i != 7)
      cudaStreamEndCapture(shared, g);
  }
}

// Each iteration has its own stream.
struct Lane {
  cudaStream_t stream;
  Lane *next;
};
void left_on_new_streams(int n, cudaGraph_t *g) {
  for (int i = 0; i < n; ++i) {
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (i != 7)
      cudaStreamEndCapture(s, g);
  }
}
void left_on_other_lanes(Lane *lane, cudaGraph_t *g) {
  for (; lane; lane = lane->next) {
    cudaStreamBeginCapture(lane->stream, cudaStreamCaptureModeRelaxed);
    if (lane->next)
      cudaStreamEndCapture(lane->stream, g);
  }
}
Lane *takeLane();
void left_on_unknown_lanes(int n, cudaGraph_t *g) {
  for (int i = 0; i < n; ++i) {
    Lane *lane = takeLane();
    cudaStreamBeginCapture(lane->stream, cudaStreamCaptureModeRelaxed);
    if (i != 7)
      cudaStreamEndCapture(lane->stream, g);
  }
}
void two_captures(float *x, cudaStream_t a, cudaStream_t b, cudaGraph_t *g) {
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(b, g);
  cudaStreamSynchronize(a);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'a', which is capturing
  cudaStreamEndCapture(a, g);
}

// A depth counter.
struct Nested {
  cudaStream_t s;
  cudaGraph_t g;
  int depth = 0;
  void enter() {
    if (depth++ == 0)
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  void leave() {
    if (--depth == 0)
      cudaStreamEndCapture(s, &g);
  }
  void flush() {
    if (depth == 0)
      cudaStreamSynchronize(s);
  }
  void twice(float *x) {
    enter();
    enter();
    k<<<1, 1, 0, s>>>(x);
    flush();
    leave();
    leave();
    flush();
  }
  void bad(float *x) {
    enter();
    k<<<1, 1, 0, s>>>(x);
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
    leave();
  }
};
