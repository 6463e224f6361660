// A destructor frees memory that the graphs of its object use. A later object of the
// class has its own memory and its own graphs.

// RUN: %check %s cudagraph-dangling-memory --real-std
// REQUIRES: gxx

#include <array>

__global__ void plan(float *joints, float step);

enum class Mode { Idle, Track, Grasp, Count };
// Each case has its own class, so each has its own capture.
template <int Case> class Arm {
public:
  Arm() {
    cudaStreamCreate(&stream_);
    for (float **each : {&joints_, &force_})
      cudaMalloc(each, 1024);
  }
  ~Arm() {
    for (cudaGraphExec_t each : graphs_)
      if (each)
        cudaGraphExecDestroy(each);
    cudaFree(joints_);
    cudaFree(force_);
    cudaStreamDestroy(stream_);
  }
  bool tick(Mode mode) {
    cudaGraphExec_t &graph = graphs_[int(mode)];
    if (!graph && !build(mode, graph))
      return false;
    return good(cudaGraphLaunch(graph, stream_)) && good(cudaStreamSynchronize(stream_));
  }

private:
  bool good(cudaError_t status) { return status == cudaSuccess; }
  void describe(Mode mode) {
    switch (mode) {
    case Mode::Idle:
      plan<<<1, 256, 0, stream_>>>(joints_, 0.0f);
      break;
    default:
      break;
    }
  }
  bool build(Mode mode, cudaGraphExec_t &out) {
    cudaGraph_t graph = nullptr;
    if (!good(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)))
      return false;
    describe(mode);
    bool done = good(cudaStreamEndCapture(stream_, &graph));
    return done && good(cudaGraphInstantiate(&out, graph, 0));
  }

  cudaStream_t stream_ = nullptr;
  float *joints_ = nullptr, *force_ = nullptr;
  std::array<cudaGraphExec_t, 3> graphs_{};
};

class Machine {
public:
  Mode state() const { return state_; }
  void handle(int event) {
    switch (state_) {
    case Mode::Idle:
      if (event == 1)
        state_ = Mode::Grasp;
      if (event == 2)
        state_ = Mode::Idle;
      break;
    default:
      break;
    }
  }

private:
  Mode state_ = Mode::Idle;
};

template <int Case> bool drive(Arm<Case> &arm) {
  Machine machine;
  const int script[] = {0, 0, 1, 0, 2};
  for (int event : script) {
    machine.handle(event);
    if (!arm.tick(machine.state()))
      return false;
  }
  return true;
}

// The memory ends with the object, and the graph does not.
template <int Case> struct Recorder {
  explicit Recorder(cudaStream_t stream) : stream(stream) { cudaMalloc(&joints, 1024); }
  ~Recorder() { cudaFree(joints); }
  void record(cudaGraphExec_t *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    plan<<<1, 256, 0, stream>>>(joints, 0.5f);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'plan' uses 'joints', which 'Recorder::~Recorder' frees
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(out, graph, 0);
    cudaGraphDestroy(graph);
  }

  cudaStream_t stream;
  float *joints = nullptr;
};

// Legal: one object after another.
bool inTurn() {
  bool first;
  {
    Arm<0> arm;
    first = drive(arm);
  }
  Arm<0> arm;
  return drive(arm) && first;
}

// Legal: one object in each iteration.
bool inLoop() {
  for (int i = 0; i < 3; ++i) {
    Arm<1> arm;
    if (!drive(arm))
      return false;
  }
  return true;
}

// Wrong: the caller keeps the graph of the first object.
void kept(cudaStream_t stream) {
  cudaGraphExec_t first, second;
  {
    Recorder<0> one(stream);
    one.record(&first);
  }
  Recorder<0> two(stream);
  two.record(&second);
  cudaGraphLaunch(first, stream);
  cudaGraphLaunch(second, stream);
}

// Wrong: a table keeps it.
void inTable(cudaStream_t stream) {
  std::array<cudaGraphExec_t, 4> all{};
  for (int i = 0; i < 4; ++i) {
    Recorder<1> each(stream);
    each.record(&all[i]);
  }
  for (cudaGraphExec_t each : all)
    cudaGraphLaunch(each, stream);
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  inTurn();
  inLoop();
  kept(stream);
  inTable(stream);
}
