// A switch that captured code flips once, under a condition that is false only
// after a failed call.

// RUN: %check %s cudagraph-host-logic

__global__ void smooth(const float *from, float *to);

struct Rope {
  float *buffers[2];
  int current;
  cudaStream_t stream;
  cudaGraphExec_t exec;
};
static int enqueue(Rope *r, int current) {
  smooth<<<1, 1, 0, r->stream>>>(r->buffers[current], r->buffers[current ^ 1]);
  return cudaGetLastError() == cudaSuccess ? 0 : 5;
}
static int finish(Rope *r, int status) {
  cudaGraph_t g = nullptr;
  if (cudaStreamEndCapture(r->stream, &g) != cudaSuccess)
    return 5;
  return status == 0 && cudaGraphInstantiate(&r->exec, g, 0) == cudaSuccess ? 0 : 5;
}
static int launch(Rope *r, int steps) {
  int status = 0;
  for (int i = 0; status == 0 && i < steps; ++i)
    if (cudaGraphLaunch(r->exec, r->stream) != cudaSuccess)
      status = 5;
  return status;
}

static int step(Rope *r) {
  int status = enqueue(r, r->current);
  if (status == 0)
    r->current ^= 1;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'current' changes during the capture of 'r->stream' (global mode); the change happens once, at capture, and not on replay
  return status;
}
static int record(Rope *r, int (*body)(Rope *)) {
  if (cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return 5;
  return finish(r, body(r));
}
int run(Rope *r, int steps) {
  int status = r->exec ? 0 : record(r, step);
  return status ? status : launch(r, steps);
}
int read(const Rope *r, float *out) {
  return cudaMemcpy(out, r->buffers[r->current], 4, cudaMemcpyDeviceToHost);
}

// The switch is flipped twice: the next launch begins where the capture began.
struct Pair : Rope {};
static int twice(Pair *p) {
  int status = enqueue(p, p->current);
  if (status == 0)
    p->current ^= 1;
  if (status == 0)
    status = enqueue(p, p->current);
  if (status == 0)
    p->current ^= 1;
  return status;
}
int run_twice(Pair *p, int steps) {
  int status = 0;
  if (!p->exec) {
    if (cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal) != cudaSuccess)
      return 5;
    status = finish(p, twice(p));
  }
  return status ? status : launch(p, steps);
}

// A loop may flip the switch an even number of times.
struct Chain : Rope {
  int length;
};
static int all(Chain *c) {
  int status = 0;
  for (int i = 0; status == 0 && i < c->length; ++i) {
    status = enqueue(c, c->current);
    if (status == 0)
      c->current ^= 1;
  }
  return status;
}
int run_all(Chain *c, int steps) {
  int status = 0;
  if (!c->exec) {
    if (cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeGlobal) != cudaSuccess)
      return 5;
    status = finish(c, all(c));
  }
  return status ? status : launch(c, steps);
}

// The switch is flipped for each launch, in code that is not captured.
struct Plain : Rope {};
int run_plain(Plain *p, int steps) {
  int status = 0;
  if (!p->exec) {
    if (cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal) != cudaSuccess)
      return 5;
    status = enqueue(p, 0);
    if (status == 0)
      status = enqueue(p, 1);
    status = finish(p, status);
  }
  status = status ? status : launch(p, steps);
  if (status == 0)
    p->current ^= 0;
  return status;
}
