// RUN: %check %s cudagraph-sync-call
//
// Captures that begin and end through function tables: constant tables, tables
// filled once, and tables behind a pointer.

#include <cuda_runtime.h>

struct Ops {
  cudaError_t (*begin)(cudaStream_t);
  cudaError_t (*end)(cudaStream_t, cudaGraph_t *);
};

static cudaError_t beginGlobal(cudaStream_t s) {
  return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
}
static cudaError_t endAny(cudaStream_t s, cudaGraph_t *g) {
  return cudaStreamEndCapture(s, g);
}

static const Ops table = {beginGlobal, endAny};
const Ops *operations() { return &table; }

void accessor(cudaStream_t s) {
  const Ops *ops = operations();
  cudaGraph_t g;
  if (ops->begin(s))
    return;
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  if (ops->end(s, &g))
    return;
  cudaStreamSynchronize(s);
}

struct Context {
  const Ops *ops;
  cudaStream_t s;
};

void behindPointer(Context *c) {
  cudaGraph_t g;
  if (c->ops->begin(c->s))
    return;
  cudaStreamSynchronize(c->s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'c->s', which is capturing
  if (c->ops->end(c->s, &g))
    return;
  cudaStreamSynchronize(c->s);
}

// A table filled when the library starts.
struct Backend {
  cudaError_t (*start)(cudaStream_t);
  cudaError_t (*stop)(cudaStream_t, cudaGraph_t *);
};
void fill(Backend *b) {
  b->start = beginGlobal;
  b->stop = endAny;
}
void filled(Backend *b, cudaStream_t s) {
  cudaGraph_t g;
  if (b->start(s))
    return;
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize'
  if (b->stop(s, &g))
    return;
  cudaDeviceSynchronize();
}

// Legal: no function stored here captures.
struct Plain {
  cudaError_t (*before)(cudaStream_t);
};
static cudaError_t nothing(cudaStream_t) { return cudaSuccess; }
void legal(Plain *p, cudaStream_t s) {
  p->before = nothing;
  if (p->before(s))
    return;
  cudaStreamSynchronize(s);
}
