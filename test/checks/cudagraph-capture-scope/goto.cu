// A `goto` that passes the end of the capture is reported where it is.

// RUN: %check %s cudagraph-capture-scope

__global__ void kernel(float *x);
struct Codec {
  cudaStream_t stream;
  float *x;
  int width;
};
static int stage(Codec *c) {
  if (c->width % 2)
    return 3;
  kernel<<<1, 32, 0, c->stream>>>(c->x);
  return 0;
}

int leaves(Codec *c, int stages) {
  cudaGraph_t graph = nullptr;
  int status = 0;
  if (cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeGlobal))
    return 1;
  for (int i = 0; i < stages; ++i) {
    status = stage(c);
    if (status != 0)
      goto out;
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this goto leaves 'c->stream' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  }
  if (cudaStreamEndCapture(c->stream, &graph)) {
    status = 2;
    goto out;
  }
out:
  if (graph)
    cudaGraphDestroy(graph);
  return status;
}

int ends(Codec *c, int stages) {
  cudaGraph_t graph = nullptr;
  int status = 0;
  if (cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeGlobal))
    return 1;
  for (int i = 0; i < stages; ++i) {
    status = stage(c);
    if (status != 0)
      goto end;
  }
end:
  if (cudaStreamEndCapture(c->stream, &graph))
    status = 2;
  if (graph)
    cudaGraphDestroy(graph);
  return status;
}
