// A path leaves the capture open if one element of a table that was set to zero
// has a different value. A path that aborts the capture does not make a graph.

// RUN: %check %s cudagraph-capture-scope,cudagraph-host-logic

__global__ void k(int *p);
struct Array {
  cudaStream_t s;
  int *data, state[4];
  cudaGraphExec_t exec;
};

static int build(Array *a) {
  cudaGraph_t g = nullptr;
  int rc = 2;
  if (cudaStreamBeginCapture(a->s, cudaStreamCaptureModeThreadLocal))
    goto out;
  for (int i = 0; i < 4; ++i) {
    if (a->state[i] != 0) {
      rc = 1;
      goto out;
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this goto leaves 'a->s' (non-blocking, thread-local mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
    }
    k<<<1, 1, 0, a->s>>>(a->data);
  }
  if (cudaStreamEndCapture(a->s, &g))
    goto out;
  if (cudaGraphInstantiate(&a->exec, g, 0))
    goto out;
  rc = 0;
out:
  return rc;
}

static int buildOrAbort(Array *a) {
  cudaGraph_t g = nullptr;
  int rc = 2;
  if (cudaStreamBeginCapture(a->s, cudaStreamCaptureModeThreadLocal))
    return rc;
  for (int i = 0; i < 4; ++i) {
    if (a->state[i] != 0) {
      rc = 1;
      goto abort;
    }
    k<<<1, 1, 0, a->s>>>(a->data);
  }
  if (cudaStreamEndCapture(a->s, &g))
    return rc;
  return cudaGraphInstantiate(&a->exec, g, 0) ? 2 : 0;
abort:
  cudaStreamEndCapture(a->s, &g);
  if (g)
    cudaGraphDestroy(g);
  return rc;
}

// Both branches make a graph.
static int buildWithout(Array *a) {
  cudaGraph_t g = nullptr;
  if (cudaStreamBeginCapture(a->s, cudaStreamCaptureModeThreadLocal))
    return 2;
  for (int i = 0; i < 4; ++i)
    if (a->state[i] == 0)
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'skipped' sets a value that the branch depends on, while the graph exists; replays repeat the branch taken at capture [cudagraph-host-logic]
      k<<<1, 1, 0, a->s>>>(a->data);
  if (cudaStreamEndCapture(a->s, &g))
    return 2;
  return cudaGraphInstantiate(&a->exec, g, 0) ? 2 : 0;
}

static void open(Array *a) {
  cudaStreamCreateWithFlags(&a->s, cudaStreamNonBlocking);
  cudaMalloc(&a->data, 4);
  a->state[3] = 1;
}
static void replay(Array *a) {
  for (int i = 0; i < 4; ++i) {
    cudaGraphLaunch(a->exec, a->s);
    cudaStreamSynchronize(a->s);
  }
}
void left() {
  Array a{};
  open(&a);
  int rc = build(&a);
  a.state[3] = 0;
  if (rc == 1)
    rc = build(&a);
  if (rc == 0)
    replay(&a);
}
void aborted() {
  Array a{};
  open(&a);
  int rc = buildOrAbort(&a);
  a.state[3] = 0;
  if (rc == 1)
    rc = buildOrAbort(&a);
  if (rc == 0)
    replay(&a);
}
void skipped() {
  Array a{};
  open(&a);
  int rc = buildWithout(&a);
  a.state[3] = 0;
  if (rc == 0)
    replay(&a);
}
