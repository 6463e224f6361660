// RUN: %check %s cudagraph-host-logic,cudagraph-capture-scope,cudagraph-missing-warmup,cudagraph-sync-call
// A function that calls the steps of a state machine through a table runs for
// each step, not only for those that a capture contains.
extern "C" int printf(const char *, ...);

struct Machine {
  int state;
  cudaStream_t stream;
  cudaGraphExec_t exec;
  int visits[4];
  int steps, recorded;
};

__global__ void kernel(int *p);

static int arm(Machine *m) {
  return cudaStreamBeginCapture(m->stream, cudaStreamCaptureModeThreadLocal)
             ? 0
             : 1;
}

static int work(Machine *m) {
  kernel<<<1, 1, 0, m->stream>>>(nullptr);
  return 2;
}

static int seal(Machine *m) {
  cudaGraph_t graph;
  if (cudaStreamEndCapture(m->stream, &graph))
    return 0;
  return cudaGraphInstantiate(&m->exec, graph, 0) ? 0 : 3;
}

static int run(Machine *m) {
  if (cudaGraphLaunch(m->exec, m->stream))
    return 0;
  return cudaStreamSynchronize(m->stream) ? 0 : 3;
}

static const struct {
  const char *name;
  int (*step)(Machine *);
} Table[] = {{"arm", arm}, {"work", work}, {"seal", seal}, {"run", run}};

static void step(Machine *m) {
  int next = Table[m->state].step(m);
  m->visits[next]++;
  ++m->steps;
  if (next != m->state)
    printf("%s\n", Table[next].name);
  m->state = next;
}

void drive(Machine *m) {
  m->state = 0;
  for (int n = 0; n < 10 && m->state != 3; ++n)
    step(m);
}

// This function is a part of what it records.
void play(Machine *m) {
  if (arm(m) == 0)
    return;
  m->visits[1]++;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'visits' changes during the capture of 'm->stream'
  work(m);
  seal(m);
}

int main() {
  static Machine m;
  if (cudaStreamCreate(&m.stream))
    return 1;
  drive(&m);
  play(&m);
  if (m.visits[1] > 8)
    cudaGraphExecDestroy(m.exec);
  return m.visits[3] + m.steps;
}
