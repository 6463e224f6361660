// Functions of one constant table belong together: a row does not end a capture
// that a different row begins.

// RUN: %check %s cudagraph-sync-call

struct Context {
  cudaStream_t s;
  cudaGraph_t g;
  const struct Ops *ops;
};
struct Ops {
  int (*open)(Context *);
  int (*run)(Context *);
  int (*close)(Context *);
};
__global__ void k(float *x);
static int graph_open(Context *c) {
  return cudaStreamBeginCapture(c->s, cudaStreamCaptureModeGlobal);
}
static int graph_close(Context *c) { return cudaStreamEndCapture(c->s, &c->g); }
static int graph_run(Context *c) {
  k<<<1, 1, 0, c->s>>>(nullptr);
  return 0;
}
static int waiting_run(Context *c) {
  k<<<1, 1, 0, c->s>>>(nullptr);
  return cudaStreamSynchronize(c->s);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamSynchronize' waits for stream 'c->s', which is capturing
}
static int nothing(Context *) { return 0; }
static int eager_run(Context *c) {
  k<<<1, 1, 0, c->s>>>(nullptr);
  return cudaStreamSynchronize(c->s);
}
static const Ops registry[] = {{graph_open, graph_run, graph_close},
                               {graph_open, waiting_run, graph_close},
                               {nothing, eager_run, nothing}};
void choose(Context *c, int which) { c->ops = &registry[which]; }
int execute(Context *c) {
  if (c->ops->open(c))
    return -1;
  if (c->ops->run(c))
    return -1;
  return c->ops->close(c);
}

// A table that is a constant of its class, accessed through a pointer.
class Recorder {
  struct Impl;
  Impl *impl;

public:
  void begin(cudaStream_t s);
  cudaGraph_t end(cudaStream_t s);
};
struct Recorder::Impl {
  struct Table {
    void (*b)(cudaStream_t);
    cudaGraph_t (*e)(cudaStream_t);
  };
  static void start(cudaStream_t s) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  }
  static cudaGraph_t stop(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamEndCapture(s, &g);
    return g;
  }
  static constexpr Table constants{&start, &stop};
  const Table *table = &constants;
};
void Recorder::begin(cudaStream_t s) { impl->table->b(s); }
cudaGraph_t Recorder::end(cudaStream_t s) { return impl->table->e(s); }
cudaGraph_t bad(Recorder &r, cudaStream_t s) {
  r.begin(s);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  return r.end(s);
}
cudaGraph_t good(Recorder &r, cudaStream_t s) {
  r.begin(s);
  k<<<1, 1, 0, s>>>(nullptr);
  cudaGraph_t g = r.end(s);
  cudaStreamSynchronize(s);
  return g;
}

// An unknown index may select any row.
struct Step {
  int (*run)(Context *);
};
static int step_launch(Context *c) {
  k<<<1, 1, 0, c->s>>>(nullptr);
  return 0;
}
static int step_wait(Context *c) {
  return cudaStreamSynchronize(c->s);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamSynchronize' waits for stream 'c->s', which is capturing
}
static const Step steps[] = {{step_launch}, {step_wait}, {step_launch}};
void every_step(Context *c) {
  cudaStreamBeginCapture(c->s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 3; ++i)
    steps[i].run(c);
  cudaStreamEndCapture(c->s, &c->g);
}

static int one_wait(Context *c) {
  return cudaStreamSynchronize(c->s);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamSynchronize' waits for stream 'c->s', which is capturing
}
using Function = int (*)(Context *);
static const Function functions[] = {step_launch, one_wait};
void one_function(Context *c, int which) {
  cudaStreamBeginCapture(c->s, cudaStreamCaptureModeGlobal);
  functions[which](c);
  cudaStreamEndCapture(c->s, &c->g);
}

// Legal: the row is known.
static const Step legal_steps[] = {{step_launch}, {eager_run}};
void first_step(Context *c) {
  cudaStreamBeginCapture(c->s, cudaStreamCaptureModeGlobal);
  legal_steps[0].run(c);
  cudaStreamEndCapture(c->s, &c->g);
}
