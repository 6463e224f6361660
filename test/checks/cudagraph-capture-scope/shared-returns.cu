// A failure between the begin and end calls, and one return for all paths: the
// branch leaves the capture open.

// RUN: %check %s cudagraph-capture-scope

__global__ void k(float *x);
struct Context {
  cudaStream_t stream;
  float *x;
  cudaError_t last;
  bool adaptive;
};
struct Stage {
  int (*emit)(Context *c, bool compiling);
};
static int code(Context *c, cudaError_t e) {
  if (e == cudaSuccess)
    return 0;
  c->last = e;
  return -1;
}
static int emitGain(Context *c, bool) {
  k<<<1, 1, 0, c->stream>>>(c->x);
  return code(c, cudaGetLastError());
}
// Fails without CUDA.
static int emitAdaptive(Context *c, bool compiling) {
  if (compiling && c->adaptive)
    return -2;
  return emitGain(c, compiling);
}
static const Stage Gain = {emitGain}, Adaptive = {emitAdaptive};

int by_return(Context *c, cudaGraph_t *g) {
  int rc = code(c, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
  if (rc != 0)
    return rc;
  rc = emitAdaptive(c, true);
  if (rc != 0)
    return rc;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 'c->stream' (thread-local mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900)
  return code(c, cudaStreamEndCapture(c->stream, g));
}
int by_goto(Context *c, cudaGraph_t *g) {
  int rc = code(c, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
  if (rc != 0)
    goto out;
  rc = emitAdaptive(c, true);
  if (rc != 0)
    goto out;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this goto leaves 'c->stream' (thread-local mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900)
  rc = code(c, cudaStreamEndCapture(c->stream, g));
out:
  return rc;
}
int by_if(Context *c, cudaGraph_t *g) {
  int rc = code(c, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
  if (rc != 0)
    return rc;
  rc = emitAdaptive(c, true);
  if (rc == 0)
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this branch leaves 'c->stream'
    rc = code(c, cudaStreamEndCapture(c->stream, g));
  return rc;
}
// A function in a table may fail.
int by_table(Context *c, const Stage *stages, int n, cudaGraph_t *g) {
  int rc = code(c, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
  if (rc != 0)
    goto out;
  for (int i = 0; i < n; ++i) {
    rc = stages[i].emit(c, true);
    if (rc != 0)
      goto out; // CHECK-MESSAGES: :[[@LINE]]:7: warning: this goto leaves 'c->stream'
  }
  rc = code(c, cudaStreamEndCapture(c->stream, g));
out:
  return rc;
}
// The same applies to a CUDA status.
cudaError_t by_status(cudaStream_t s, float *x, cudaGraph_t *g) {
  cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  if (e != cudaSuccess)
    goto out;
  e = cudaMemsetAsync(x, 0, 4, s);
  if (e != cudaSuccess)
    goto out;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this goto leaves 's'
  e = cudaStreamEndCapture(s, g);
out:
  return e;
}

// Legal twins: the path ends the capture, immediately or where all paths meet.
int ends_there(Context *c, cudaGraph_t *g) {
  int rc = code(c, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
  if (rc != 0)
    goto out;
  rc = emitAdaptive(c, true);
  if (rc != 0) {
    (void)cudaStreamEndCapture(c->stream, g);
    goto out;
  }
  rc = code(c, cudaStreamEndCapture(c->stream, g));
out:
  return rc;
}
int ends_at_out(Context *c, cudaGraph_t *g) {
  bool open = false;
  int rc = code(c, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
  if (rc != 0)
    goto out;
  open = true;
  rc = emitAdaptive(c, true);
  if (rc != 0)
    goto out;
out:
  if (open) {
    int ended = code(c, cudaStreamEndCapture(c->stream, g));
    if (rc == 0)
      rc = ended;
  }
  return rc;
}
// The begin call and the end call have the same condition.
bool wantsGraph(const Context *c);
int work(Context *c);
int decided_alike(Context *c, cudaGraph_t *g) {
  int rc = 0;
  if (wantsGraph(c))
    rc = code(c, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
  if (rc == 0)
    k<<<1, 1, 0, c->stream>>>(c->x);
  if (wantsGraph(c))
    rc = code(c, cudaStreamEndCapture(c->stream, g));
  return rc;
}
