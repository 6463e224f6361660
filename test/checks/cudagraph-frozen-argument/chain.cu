// The value is set, counted, or passed far from the launch.

// RUN: %check %s cudagraph-frozen-argument
// RUN: %if gxx %{ %check %s cudagraph-frozen-argument --real-std %}

#include <utility>

__global__ void adam(float *p, float lr, int step);
__global__ void decode(const float *q, float *o, int length);

// The value is the state of a different object.
struct Sequence {
  int length = 0;
  void append() { ++length; }
};

class DecodeGraph {
public:
  DecodeGraph(Sequence &sequence, const float *q, float *o, cudaStream_t s)
      : sequence_(sequence), q_(q), o_(o), stream_(s) {}
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: capture of 'stream_' (global mode) begins here
    forward();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'DecodeGraph::forward'
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void step() {
    sequence_.append();
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void forward() {
    attention(sequence_.length);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'DecodeGraph::attention'
  }
  void attention(int length) {
    decode<<<1, 32, 0, stream_>>>(q_, o_, length);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'length' of kernel 'decode' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
  }
  Sequence &sequence_;
  const float *q_;
  float *o_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// A base class holds the graph; the derived class holds the number.
class Captured {
public:
  virtual ~Captured() { cudaGraphExecDestroy(exec_); }
  void run(cudaStream_t s) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      body(s);
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s);
  }

protected:
  virtual void body(cudaStream_t s) = 0;
  cudaGraphExec_t exec_ = nullptr;
};

class Adam : public Captured {
public:
  explicit Adam(float *p) : p_(p) {}
  void set_rate(float rate) {
    rate_ = rate;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is set here
  }

private:
  void body(cudaStream_t s) override {
    adam<<<1, 32, 0, s>>>(p_, rate_, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'rate_' of kernel 'adam' is set by 'Adam::set_rate' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
  }
  float *p_;
  float rate_ = 0.1f;
};

// A parameter that is passed through two functions.
static void launch(float *p, float lr, cudaStream_t s) {
  adam<<<1, 32, 0, s>>>(p, lr, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'lr' of kernel 'adam' comes from parameter 'rate' of 'train', whose later calls launch the graph of an earlier call, with the value of that call [cudagraph-frozen-argument]
}

static cudaGraphExec_t g_exec = nullptr;

static void record(float *p, float lr, cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch(p, lr, s);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&g_exec, graph, 0);
}

void train(float *p, float rate, cudaStream_t s) {
  if (g_exec == nullptr)
    record(p, rate, s);
  cudaGraphLaunch(g_exec, s);
}
