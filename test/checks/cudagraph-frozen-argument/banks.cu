// One of several buffers, selected at capture, and values that each iteration
// of a loop sets.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape

__global__ void k(float *x);
__global__ void shift(const float *from, float *to, int n);

struct Sensor {
  cudaStream_t q;
  float *out;
  float *bank[3];
  int active;
  cudaGraphExec_t exec;
};

void arm(Sensor *s) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s->q, cudaStreamCaptureModeThreadLocal);
  cudaMemcpyAsync(s->out, s->bank[s->active], 64, cudaMemcpyDeviceToDevice,
                  s->q);
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: the address 's->bank[s->active]' of 'cudaMemcpyAsync' is set by 'select' while the graph exists
  cudaStreamEndCapture(s->q, &g);
  cudaGraphInstantiate(&s->exec, g, 0);
}
void select(Sensor *s, int bank) { s->active = bank; }
void frame(Sensor *s) { cudaGraphLaunch(s->exec, s->q); }

// Legal: one graph per bank.
struct Banks {
  cudaStream_t q;
  float *bank[3];
  int active;
  cudaGraphExec_t exec[3];
  void arm() {
    cudaGraph_t g;
    cudaStreamBeginCapture(q, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, q>>>(bank[active]);
    cudaStreamEndCapture(q, &g);
    cudaGraphInstantiate(&exec[active], g, 0);
  }
  void select(int b) { active = b; }
  void frame() { cudaGraphLaunch(exec[active], q); }
};

// Later iterations set different values and launch the graph of an earlier one.
struct Pool {
  int n = 0;
  void set(int live) { n = live; }
  int live() const { return n; }
};
class Simulation {
public:
  Simulation(Pool &p, cudaStream_t s) : pool_(p), s_(s) {}
  void step() {
    if (!exec_)
      exec_ = record();
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaGraphExec_t record() {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed);
    shift<<<pool_.live(), 1, 0, s_>>>(nullptr, nullptr, 3);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'shift' is computed from a value that 'Pool::set' sets while the graph exists
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&e, g, 0);
    return e;
  }
  Pool &pool_;
  cudaStream_t s_;
  cudaGraphExec_t exec_ = nullptr;
};

// Legal: the graph is captured again in each iteration.
struct Count {
  int n = 0;
  void set(int to) { n = to; }
  int get() const { return n; }
};
class Anew {
public:
  Anew(Count &c, cudaStream_t s) : count_(c), s_(s) {}
  void step() {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed);
    shift<<<count_.get(), 1, 0, s_>>>(nullptr, nullptr, count_.get());
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s_);
    cudaGraphExecDestroy(e);
  }

private:
  Count &count_;
  cudaStream_t s_;
};

// Legal: each iteration captures a graph, and sets the captured values again.
class Epochs {
public:
  explicit Epochs(cudaStream_t s) : s_(s) {}
  void set(int n) { n_ = n; }
  void capture() {
    cudaGraph_t g;
    if (exec_)
      cudaGraphExecDestroy(exec_);
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed);
    shift<<<1, 1, 0, s_>>>(nullptr, nullptr, n_);
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void play() { cudaGraphLaunch(exec_, s_); }

private:
  cudaStream_t s_;
  int n_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
void epochs(cudaStream_t s) {
  Epochs each(s);
  for (int i = 0; i < 5; ++i) {
    each.set(i);
    each.capture();
    each.set(i);
    each.play();
  }
}

// Values that a function stores in a variable of its caller.
struct Spawn {
  int slot;
  float energy;
};
__global__ void emit(Spawn event);
class Emitter {
public:
  void set(Spawn event) { next_ = event; }
  bool next(Spawn &out) const {
    if (next_.slot < 0)
      return false;
    out = next_;
    return true;
  }
  void capture(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    Spawn event{0, 0.0f};
    next(event);
    emit<<<1, 1, 0, s>>>(event);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'event' of kernel 'emit' is set by 'Emitter::set' while the graph exists
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void play(cudaStream_t s) { cudaGraphLaunch(exec_, s); }

private:
  Spawn next_ = {0, 0.0f};
  cudaGraphExec_t exec_;
};

// Legal: the value is set before the capture only.
class Early {
public:
  void set(int n) { n_ = n; }
  void get(int &out) const { out = n_; }
  void capture(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    int n = 0;
    get(n);
    shift<<<1, 1, 0, s>>>(nullptr, nullptr, n);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void play(cudaStream_t s) { cudaGraphLaunch(exec_, s); }

private:
  int n_ = 0;
  cudaGraphExec_t exec_;
};

int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Pool pool;
  Simulation simulation(pool, s);
  Count count;
  Anew anew(count, s);
  epochs(s);
  Emitter emitter;
  emitter.capture(s);
  Early early;
  early.set(3);
  early.capture(s);
  for (int i = 0; i < 5; ++i) {
    emitter.set({i, 1.0f});
    emitter.play(s);
    early.play(s);
    pool.set(i);
    simulation.step();
    count.set(i);
    anew.step();
  }
}
