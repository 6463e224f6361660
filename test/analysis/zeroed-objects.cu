// memset() sets an object to zero, including each member and element.

// RUN: %check %s cudagraph-default-stream

#include <cstring>

__global__ void gain(float *x);
__global__ void clip(float *x);

struct Effect;
struct Ops {
  void (*process)(Effect *, float *, cudaStream_t);
};
struct Effect {
  const Ops *ops;
  cudaStream_t stream;
};
struct Engine {
  cudaStream_t stream;
  float *data;
  Effect chain[4];
  int count;
};

static void runGain(Effect *, float *x, cudaStream_t s) {
  gain<<<1, 32, 0, s>>>(x);
}
static void runClip(Effect *e, float *x, cudaStream_t) {
  clip<<<1, 32, 0, e->stream>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'clip' is launched on the legacy default stream
}
static const Ops gainOps = {runGain}, clipOps = {runClip};

static int add(Engine *e, const Ops *ops) {
  if (e->count == 4)
    return -1;
  Effect *effect = &e->chain[e->count++];
  effect->ops = ops;
  effect->stream = e->stream;
  return 0;
}

static void record(Engine *e, cudaGraph_t *g) {
  if (cudaStreamBeginCapture(e->stream, cudaStreamCaptureModeThreadLocal))
    return;
  for (int i = 0; i < e->count; ++i)
    e->chain[i].ops->process(&e->chain[i], e->data, e->stream);
  cudaStreamEndCapture(e->stream, g);
}

// The effects are added before the stream is created.
void too_early(cudaGraph_t *g) {
  Engine e;
  memset(&e, 0, sizeof e);
  if (add(&e, &clipOps) || add(&e, &gainOps))
    return;
  if (cudaStreamCreateWithFlags(&e.stream, cudaStreamNonBlocking))
    return;
  record(&e, g);
}

struct Plain {
  cudaStream_t stream, side;
  bool sideUsed;
  float *data;
};
void fill(Plain *);

// Later writes count, as do possible writes by a function without source.
void set_later(cudaGraph_t *g) {
  Plain p;
  memset(&p, 0, sizeof(Plain));
  if (cudaStreamCreateWithFlags(&p.stream, cudaStreamNonBlocking))
    return;
  p.side = p.stream;
  if (cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeThreadLocal))
    return;
  gain<<<1, 32, 0, p.side>>>(p.data);
  cudaStreamEndCapture(p.stream, g);
}
void filled_elsewhere(cudaGraph_t *g) {
  Plain p;
  memset(&p, 0, sizeof p);
  fill(&p);
  if (cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeThreadLocal))
    return;
  if (p.sideUsed)
    gain<<<1, 32, 0, p.stream>>>(p.data);
  cudaStreamEndCapture(p.stream, g);
}
// Only a part of the object is set to zero.
void in_part(Plain *p, cudaGraph_t *g) {
  memset(p, 0, 1);
  if (cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeThreadLocal))
    return;
  gain<<<1, 32, 0, p->stream>>>(p->data);
  cudaStreamEndCapture(p->stream, g);
}
