// Branches on host state that changes between replays: a counter, a value with
// a setter, or a value read back. A value that selects the graph, or causes a
// new capture, may vary.

// RUN: %check %s cudagraph-host-logic

__global__ void sgd(float *p);
__global__ void ema(float *p);

// Every tenth step.
class Counter {
public:
  Counter(float *p, cudaStream_t s) : p_(p), stream_(s) {}
  void step() {
    ++iteration_;
    if (!exec_)
      capture();
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void update() {
    sgd<<<1, 32, 0, stream_>>>(p_);
    if (iteration_ % 10 == 0)
    // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: the branch depends on host state that changes between replays during the capture of 'stream_' (global mode); replays repeat the branch taken at capture [cudagraph-host-logic]
      ema<<<1, 32, 0, stream_>>>(p_);
  }
  void capture() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    update();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Counter::update'
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  float *p_;
  long iteration_ = 0;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// A setter.
class WithSetter {
public:
  explicit WithSetter(cudaStream_t s) : stream_(s) {}
  void set_average(bool average) {
    average_ = average;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is set here
  }
  void capture(float *p) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    if (average_)
    // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'WithSetter::set_average' sets a value that the branch depends on, while the graph exists; replays repeat the branch taken at capture [cudagraph-host-logic]
      ema<<<1, 32, 0, stream_>>>(p);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  bool average_ = false;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// A value read back from the device.
void read_back(float *p, const int *converged, cudaStream_t s, cudaGraph_t *graph) {
  int done = 0;
  cudaMemcpy(&done, converged, sizeof(done), cudaMemcpyDeviceToHost);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: the value is read here
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  sgd<<<1, 32, 0, s>>>(p);
  if (done)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the branch depends on a value read back from the device during the capture of 's' (global mode); replays repeat the branch taken at capture [cudagraph-host-logic]
    ema<<<1, 32, 0, s>>>(p);
  cudaStreamEndCapture(s, graph);
}

// Configuration that is never changed.
class Configured {
public:
  Configured(bool average, cudaStream_t s) : average_(average), stream_(s) {}
  void capture(float *p) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    if (average_)
      ema<<<1, 32, 0, stream_>>>(p);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  bool average_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// The setter destroys the graph.
class Dropped {
public:
  explicit Dropped(cudaStream_t s) : stream_(s) {}
  void set_average(bool average) {
    average_ = average;
    if (exec_)
      cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  void run(float *p) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
      if (average_)
        ema<<<1, 32, 0, stream_>>>(p);
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  bool average_ = false;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// One graph per value.
class Keyed {
public:
  void run(float *p, bool average, cudaStream_t s) {
    cudaGraphExec_t &exec = average ? with_ : without_;
    if (!exec) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      sgd<<<1, 32, 0, s>>>(p);
      if (average)
        ema<<<1, 32, 0, s>>>(p);
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
    }
    cudaGraphLaunch(exec, s);
  }

private:
  cudaGraphExec_t with_ = nullptr, without_ = nullptr;
};

// The graph is captured in each call.
void fresh(float *p, bool average, cudaStream_t s) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (average)
    ema<<<1, 32, 0, s>>>(p);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
}

// A virtual method begins the capture: later queries select no graph.
struct Recorder {
  virtual ~Recorder() = default;
  virtual void begin(cudaStream_t s) = 0;
};
struct GlobalRecorder : Recorder {
  void begin(cudaStream_t s) override { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); }
};
class AskedAfter {
public:
  explicit AskedAfter(cudaStream_t s) : stream_(s) {}
  void set_average(bool average) { average_ = average; }
  void capture(float *p) {
    cudaGraph_t graph;
    GlobalRecorder global;
    Recorder *recorder = &global;
    recorder->begin(stream_);
    if (average_)
    // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'AskedAfter::set_average' sets a value that the branch depends on, while the graph exists
      ema<<<1, 32, 0, stream_>>>(p);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  bool average_ = false;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// Legal: queried before.
class AskedBefore {
public:
  explicit AskedBefore(cudaStream_t s) : stream_(s) {}
  void set_average(bool average) { average_ = average; }
  void capture(float *p) {
    cudaGraph_t graph;
    GlobalRecorder global;
    Recorder *recorder = &global;
    if (average_ == captured_)
      return;
    captured_ = average_;
    recorder->begin(stream_);
    if (average_)
      ema<<<1, 32, 0, stream_>>>(p);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run(float *p) {
    capture(p);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  bool average_ = false, captured_ = true;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};
