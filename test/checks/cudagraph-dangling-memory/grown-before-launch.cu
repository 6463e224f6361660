// A function grows its memory if it is full, before it captures or launches: the
// tested capacity does not select a graph.

// RUN: %check %s cudagraph-dangling-memory,cudagraph-frozen-argument --real-std
// RUN: %check %s cudagraph-dangling-memory,cudagraph-frozen-argument --real-std --suffix=KEPT -- -DKEPT

#include <cassert>
#include <cuda_runtime.h>
#include <string.h>

__global__ void store(float *, const int *);
__global__ void keep(float *, const int *);

struct Decoder {
  cudaStream_t s;
  cudaError_t status;
  float *kv;
  int *pos;
  int n, capacity, captured;
  cudaGraphExec_t exec;
  bool ready;
};
static void note(Decoder *d, cudaError_t e) {
  if (e != cudaSuccess && d->status == cudaSuccess)
    d->status = e;
}
static void init(Decoder *d) {
  memset(d, 0, sizeof(*d));
  note(d, cudaStreamCreate(&d->s));
  d->capacity = 4;
  note(d, cudaMalloc(&d->kv, 4));
  note(d, cudaMallocHost(&d->pos, 4));
}
static void grow(Decoder *d) {
  float *bigger = nullptr;
  note(d, cudaMalloc(&bigger, 4 * d->capacity + 4));
  note(d, cudaFree(d->kv));
  d->kv = bigger;
  d->capacity += 4;
}

#ifndef KEPT
static void capture(Decoder *d) {
  cudaGraph_t graph;
  note(d, cudaStreamBeginCapture(d->s, cudaStreamCaptureModeThreadLocal));
  store<<<1, 1, 0, d->s>>>(d->kv, d->pos);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'store' uses 'd->kv', which 'grow' frees
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: the address 'd->kv' of kernel 'store' is set by 'grow' while the graph exists
  note(d, cudaStreamEndCapture(d->s, &graph));
  note(d, cudaGraphInstantiate(&d->exec, graph, 0));
  d->ready = d->status == cudaSuccess;
}
static bool decode(Decoder *d) {
  if (d->n == d->capacity)
    grow(d);
  assert(d->n < d->capacity);
  *d->pos = d->n;
  if (!d->ready)
    capture(d);
  if (d->status != cudaSuccess)
    return false;
  note(d, cudaGraphLaunch(d->exec, d->s));
  note(d, cudaStreamSynchronize(d->s));
  d->n++;
  return true;
}

#else
// Legal: the graph is captured again after the memory has grown.
static void capture(Decoder *d) {
  cudaGraph_t graph;
  note(d, cudaStreamBeginCapture(d->s, cudaStreamCaptureModeThreadLocal));
  keep<<<1, 1, 0, d->s>>>(d->kv, d->pos);
  note(d, cudaStreamEndCapture(d->s, &graph));
  note(d, cudaGraphInstantiate(&d->exec, graph, 0));
  d->captured = d->capacity;
}
static void decode(Decoder *d) {
  if (d->n == d->capacity)
    grow(d);
  *d->pos = d->n;
  if (d->captured != d->capacity)
    capture(d);
  note(d, cudaGraphLaunch(d->exec, d->s));
  note(d, cudaStreamSynchronize(d->s));
  d->n++;
}

#endif

int main() {
  Decoder d;
  init(&d);
  for (int i = 0; i < 11; ++i)
    decode(&d);
}
