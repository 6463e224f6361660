// A table of functions receives contexts as `void *`, as is usual in C. Each
// call has its own variable for the context, which refers to the same object.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <cstdlib>

__global__ void k(const float *in, float *out, float factor);

typedef struct {
  cudaStream_t s;
  cudaGraphExec_t exec;
  float *in, *out, factor;
} codec;

static int record(codec *c) {
  cudaGraph_t g = NULL;
  if (cudaStreamBeginCapture(c->s, cudaStreamCaptureModeThreadLocal))
    return -1;
  k<<<1, 32, 0, c->s>>>(c->in, c->out, c->factor);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'c->factor' of kernel 'k' is set by 'tune' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
  if (cudaStreamEndCapture(c->s, &g))
    return -1;
  return cudaGraphInstantiate(&c->exec, g, 0) ? -1 : 0;
}
static int encode(void *ctx) {
  codec *c = (codec *)ctx;
  int rc;
  if (!c->exec && (rc = record(c)) != 0)
    return rc;
  if (cudaGraphLaunch(c->exec, c->s))
    return -1;
  return cudaStreamSynchronize(c->s) ? -1 : 0;
}
static int open_codec(void **ctx) {
  codec *c = (codec *)calloc(1, sizeof *c);
  if (!c)
    return -1;
  if (cudaStreamCreate(&c->s) || cudaMalloc((void **)&c->in, 128) ||
      cudaMalloc((void **)&c->out, 128))
    return -1;
  *ctx = c;
  return 0;
}
static int open_nothing(void **ctx) {
  *ctx = calloc(1, 4);
  return 0;
}
static int encode_nothing(void *) { return 0; }
static void tune(void *ctx, float factor) { ((codec *)ctx)->factor = factor; }

typedef struct {
  int (*open)(void **);
  int (*encode)(void *);
} ops;
static const ops reference = {open_nothing, encode_nothing},
                 device = {open_codec, encode};

int main() {
  const ops *o[2] = {&reference, &device};
  void *ctx[2] = {NULL, NULL};
  int rc = 0;
  for (int i = 0; rc == 0 && i < 2; ++i)
    rc = o[i]->open(&ctx[i]);
  for (int round = 0; rc == 0 && round < 5; ++round) {
    if (round == 3)
      tune(ctx[1], 2);
    for (int i = 0; rc == 0 && i < 2; ++i)
      rc = o[i]->encode(ctx[i]);
  }
  return rc;
}
