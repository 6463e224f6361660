// Graphs that share memory run at the same time on different streams.

// RUN: %check %s cudagraph-concurrent-work --real-std

#include <memory>
#include <utility>

__global__ void fill(float *scratch, float value) {
  scratch[threadIdx.x] = value;
}
__global__ void collect(const float *scratch, float *out) {
  out[threadIdx.x] = scratch[threadIdx.x];
}

struct Buffer {
  void *p = nullptr;
  explicit Buffer(size_t bytes) { cudaMalloc(&p, bytes); }
  Buffer(const Buffer &) = delete;
  ~Buffer() { cudaFree(p); }
  float *floats() const { return static_cast<float *>(p); }
};

class Model {
public:
  Model(float value, std::shared_ptr<Buffer> scratch)
      : value_(value), scratch_(std::move(scratch)), out_(256) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done_, cudaEventDisableTiming);
  }
  void compile() {
    cudaGraph_t g;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    fill<<<1, 64, 0, stream_>>>(scratch_->floats(), value_);
    collect<<<1, 64, 0, stream_>>>(scratch_->floats(), out_.floats());
    cudaStreamEndCapture(stream_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
    cudaGraphDestroy(g);
  }
  cudaGraphExec_t graph() const { return exec_; }
  cudaStream_t stream() const { return stream_; }
  cudaEvent_t done() const { return done_; }

private:
  float value_;
  std::shared_ptr<Buffer> scratch_;
  Buffer out_;
  cudaStream_t stream_;
  cudaEvent_t done_;
  cudaGraphExec_t exec_ = nullptr;
};

class Decoder {
public:
  Decoder()
      : scratch_(std::make_shared<Buffer>(256)), draft_(1, scratch_),
        target_(2, scratch_) {
    draft_.compile();
    target_.compile();
  }
  void unordered() {
    cudaGraphLaunch(draft_.graph(), draft_.stream());
    cudaGraphLaunch(target_.graph(), target_.stream());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'scratch_->floats()' with a graph on another stream, and kernel 'fill' writes to it; CUDA returns success, and both graphs may run at the same time [cudagraph-concurrent-work]
    synchronize();
  }
  void byEvent() {
    cudaGraphLaunch(draft_.graph(), draft_.stream());
    cudaEventRecord(draft_.done(), draft_.stream());
    cudaStreamWaitEvent(target_.stream(), draft_.done(), 0);
    cudaGraphLaunch(target_.graph(), target_.stream());
    synchronize();
  }
  // The event is recorded before the launch.
  void tooEarly() {
    cudaEventRecord(draft_.done(), draft_.stream());
    cudaGraphLaunch(draft_.graph(), draft_.stream());
    cudaStreamWaitEvent(target_.stream(), draft_.done(), 0);
    cudaGraphLaunch(target_.graph(), target_.stream());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'scratch_->floats()' with a graph on another stream, and kernel 'fill' writes to it
    synchronize();
  }
  void byHost() {
    cudaGraphLaunch(draft_.graph(), draft_.stream());
    cudaStreamSynchronize(draft_.stream());
    cudaGraphLaunch(target_.graph(), target_.stream());
    cudaDeviceSynchronize();
    cudaGraphLaunch(draft_.graph(), draft_.stream());
    synchronize();
  }
  void onOneStream() {
    cudaGraphLaunch(draft_.graph(), draft_.stream());
    cudaGraphLaunch(target_.graph(), draft_.stream());
    synchronize();
  }
  // CUDA orders the launches of one executable graph.
  void oneGraph() {
    cudaGraphLaunch(draft_.graph(), draft_.stream());
    cudaGraphLaunch(draft_.graph(), target_.stream());
    synchronize();
  }

private:
  void synchronize() {
    cudaStreamSynchronize(draft_.stream());
    cudaStreamSynchronize(target_.stream());
  }
  std::shared_ptr<Buffer> scratch_;
  Model draft_, target_;
};

void decode() {
  Decoder d;
  d.unordered();
  d.byEvent();
  d.tooEarly();
  d.byHost();
  d.onOneStream();
  d.oneGraph();
}

// Each model has its own memory.
void apart() {
  Model a(1, std::make_shared<Buffer>(256));
  Model b(2, std::make_shared<Buffer>(256));
  a.compile();
  b.compile();
  cudaGraphLaunch(a.graph(), a.stream());
  cudaGraphLaunch(b.graph(), b.stream());
}
void inALoop(int n) {
  std::unique_ptr<Model> all[4];
  for (int i = 0; i < 4; ++i) {
    all[i] = std::make_unique<Model>(1, std::make_shared<Buffer>(256));
    all[i]->compile();
  }
  for (int i = 0; i < 4; ++i)
    cudaGraphLaunch(all[i]->graph(), all[i]->stream());
}

// Several executable graphs of one graph.
struct Session {
  cudaStream_t lane[2];
  cudaGraphExec_t replica[2];
  cudaEvent_t done;
  float *state;
  void open() {
    for (int i = 0; i < 2; ++i)
      cudaStreamCreateWithFlags(&lane[i], cudaStreamNonBlocking);
    cudaEventCreate(&done);
    cudaMalloc(&state, 256);
    cudaGraph_t g;
    cudaStreamBeginCapture(lane[0], cudaStreamCaptureModeThreadLocal);
    fill<<<1, 64, 0, lane[0]>>>(state, 1.f);
    cudaStreamEndCapture(lane[0], &g);
    cudaGraphInstantiate(&replica[0], g, 0);
    cudaGraphInstantiate(&replica[1], g, 0);
  }
};
void lanes() {
  Session s;
  s.open();
  for (int i = 0; i < 2; ++i)
    cudaGraphLaunch(s.replica[i], s.lane[i]);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'state' with a graph on another stream, and kernel 'fill' writes to it
  cudaDeviceSynchronize();
}
void ordered_lanes() {
  Session s;
  s.open();
  for (int i = 0; i < 2; ++i) {
    if (i > 0)
      cudaStreamWaitEvent(s.lane[i], s.done, 0);
    cudaGraphLaunch(s.replica[i], s.lane[i]);
    cudaEventRecord(s.done, s.lane[i]);
  }
  cudaDeviceSynchronize();
}

// The graphs work on different parts of one buffer.
__global__ void slice(float *all, int first) { all[first + threadIdx.x] = 1; }
void slices() {
  cudaStream_t s[2];
  cudaGraphExec_t exec[2];
  float *all;
  cudaMalloc(&all, 1024);
  for (int i = 0; i < 2; ++i) {
    cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    cudaGraph_t g;
    cudaStreamBeginCapture(s[i], cudaStreamCaptureModeThreadLocal);
    slice<<<1, 64, 0, s[i]>>>(all, 64 * i);
    cudaStreamEndCapture(s[i], &g);
    cudaGraphInstantiate(&exec[i], g, 0);
  }
  for (int i = 0; i < 2; ++i)
    cudaGraphLaunch(exec[i], s[i]);
  cudaDeviceSynchronize();
}
