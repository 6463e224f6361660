// The caller passes whether the program has to capture the graph again.

// RUN: %check %s cudagraph-frozen-argument

__global__ void k(float *p, float rate);
float schedule(int step);

class Replayed {
  cudaStream_t s;
  cudaGraphExec_t exec = nullptr;
  float *p;

public:
  void run(bool again, float rate) {
    if (!exec || again) {
      cudaGraph_t g;
      if (exec)
        cudaGraphExecDestroy(exec);
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
        return;
      k<<<1, 1, 0, s>>>(p, rate);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate' of kernel 'k' is set by 'Ignores::set' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      if (cudaStreamEndCapture(s, &g))
        return;
      if (cudaGraphInstantiate(&exec, g, 0))
        return;
    }
    cudaGraphLaunch(exec, s);
  }
};

// Legal: the setter returns true if the value is different.
class Asks {
  Replayed graph;
  float rate = 1;
  int step = 0;
  bool set(float r) {
    bool other = r != rate;
    rate = r;
    return other;
  }

public:
  void run() { graph.run(set(schedule(step++)), rate); }
};

class Ignores {
  Replayed graph;
  float rate = 1;
  int step = 0;
  bool set(float r) {
    bool other = r != rate;
    rate = r;
    return other;
  }

public:
  void run() {
    set(schedule(step++));
    graph.run(false, rate);
  }
};
