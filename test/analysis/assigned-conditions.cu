// An assignment takes effect wherever it occurs: in a condition, in an
// argument, or in another assignment.

// RUN: %check %s cudagraph-capture-scope,cudagraph-sync-call,cudagraph-default-stream

__global__ void k(float *x);
struct Plan {
  cudaStream_t stream;
  cudaGraphExec_t exec;
  float *x;
};

// A failed begin call leaves no capture open.
cudaError_t compared(Plan *p) {
  cudaGraph_t graph;
  cudaError_t rc, ended;
  if ((rc = cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal)) !=
      cudaSuccess)
    return rc;
  k<<<1, 1, 0, p->stream>>>(p->x);
  rc = cudaGetLastError();
  if ((ended = cudaStreamEndCapture(p->stream, &graph)) != cudaSuccess)
    return ended;
  if (rc == cudaSuccess)
    rc = cudaGraphInstantiate(&p->exec, graph, 0);
  cudaGraphDestroy(graph);
  return rc;
}

cudaError_t converted(Plan *p, cudaGraph_t *graph) {
  cudaError_t rc;
  if ((rc = cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal)))
    return rc;
  k<<<1, 1, 0, p->stream>>>(p->x);
  return cudaStreamEndCapture(p->stream, graph);
}

cudaError_t negated(Plan *p, cudaGraph_t *graph) {
  cudaError_t rc;
  if (!(rc = cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal))) {
    k<<<1, 1, 0, p->stream>>>(p->x);
    rc = cudaStreamEndCapture(p->stream, graph);
  }
  return rc;
}

bool both(Plan *p, cudaGraph_t *graph) {
  cudaError_t rc;
  return (rc = cudaStreamBeginCapture(
              p->stream, cudaStreamCaptureModeGlobal)) == cudaSuccess &&
         (rc = cudaStreamEndCapture(p->stream, graph)) == cudaSuccess;
}

// Any other failure leaves the capture open.
cudaError_t leaves(Plan *p, cudaGraph_t *graph) {
  cudaError_t rc;
  if ((rc = cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal)) !=
      cudaSuccess)
    return rc;
  if ((rc = cudaMemcpyAsync(p->x, p->x + 4, 4, cudaMemcpyDeviceToDevice,
                            p->stream)) != cudaSuccess)
    return rc;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 'p->stream' (global mode) capturing
  k<<<1, 1, 0, p->stream>>>(p->x);
  return cudaStreamEndCapture(p->stream, graph);
}

// The value of an assignment is the new value of the variable.
void streams(float *x, cudaGraph_t *graph) {
  cudaStream_t a, b, c;
  cudaStreamCreate(&a);
  b = c = a;
  cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, c>>>(x);
  if ((c = nullptr) == nullptr)
    k<<<1, 1, 0, c>>>(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' is launched on the legacy default stream
  cudaStreamEndCapture(a, graph);
}

int flags(cudaStream_t s, cudaGraph_t *graph) {
  int n = 1;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if ((n -= 1) != 0)
    cudaStreamSynchronize(s);
  while ((n += 2) < 2)
    cudaStreamSynchronize(s);
  cudaStreamEndCapture(s, graph);
  return n;
}
