// A function that only returns a reference to its static variable is another
// spelling of the variable.

// RUN: %check %s cudagraph-*

__global__ void kernel(float *x, int by);
void check(cudaError_t);

// The number of active captures: it changes when one begins and ends.
class Guard {
public:
  explicit Guard(cudaStream_t s) : stream(s) {
    if (active() != 0)
      throw 1;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    ++active();
  }
  ~Guard() {
    --active();
    if (!done) {
      cudaGraph_t graph;
      (void)cudaStreamEndCapture(stream, &graph);
    }
  }
  cudaGraph_t finish() {
    cudaGraph_t graph = nullptr;
    done = true;
    check(cudaStreamEndCapture(stream, &graph));
    return graph;
  }

private:
  static int &active() {
    static thread_local int number = 0;
    return number;
  }
  cudaStream_t stream;
  bool done = false;
};

template <typename Body> cudaGraphExec_t record(cudaStream_t s, Body &&body) {
  Guard guard(s);
  body(s);
  cudaGraphExec_t exec;
  check(cudaGraphInstantiate(&exec, guard.finish(), 0));
  return exec;
}

static int &factor() {
  static int value = 1;
  return value;
}

// The value changes before each launch.
void frozen(cudaStream_t s, float *x) {
  cudaGraphExec_t exec = record(s, [&](cudaStream_t on) {
    kernel<<<1, 32, 0, on>>>(x, factor());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'factor()' of kernel 'kernel' is set by 'frozen' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
  });
  for (int i = 0; i < 3; ++i) {
    factor() = i;
    check(cudaGraphLaunch(exec, s));
  }
}

// Nothing changes it.
static int &offset() {
  static int value = 1;
  return value;
}
void legal(cudaStream_t s, float *x) {
  cudaGraphExec_t exec =
      record(s, [&](cudaStream_t on) { kernel<<<1, 32, 0, on>>>(x, offset()); });
  for (int i = 0; i < 3; ++i)
    check(cudaGraphLaunch(exec, s));
}
