// Streams and events in elements of arrays, in structures, and in loops.

// RUN: %check %s cudagraph-stream-dependency

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

__global__ void k(float *x);

struct Lane {
  float *x;
  cudaStream_t st;
  cudaEvent_t done;
};
static Lane lanes[4];
static cudaStream_t lead;
static cudaEvent_t forked;
static void setup() {
  cudaStreamCreateWithFlags(&lead, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
  for (int i = 0; i < 4; ++i) {
    Lane &l = lanes[i];
    cudaStreamCreateWithFlags(&l.st, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&l.done, cudaEventDisableTiming);
  }
}
static void fork_all() {
  cudaEventRecord(forked, lead);
  for (Lane &l : lanes)
    cudaStreamWaitEvent(l.st, forked, 0);
}
static void join_all() {
  for (Lane &l : lanes)
    cudaStreamWaitEvent(lead, l.done, 0);
}
static void work(Lane &l) { k<<<1, 1, 0, l.st>>>(l.x); }
// The unjoined work comes after the record of the event.
void early(cudaGraph_t *g) {
  setup();
  cudaStreamBeginCapture(lead, cudaStreamCaptureModeGlobal);
  fork_all();
  for (int i = 0; i < 4; ++i) {
    work(lanes[i]);
    cudaEventRecord(lanes[i].done, lanes[i].st);
    work(lanes[i]);
  }
  join_all();
  cudaStreamEndCapture(lead, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'lead' with unjoined work of a forked stream; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
  // CHECK-NOTES: :[[@LINE-10]]:3: note: capture of 'lead' (non-blocking, global mode) begins here
  // CHECK-NOTES: :[[@LINE-15]]:29: note: this work is not joined
  // CHECK-NOTES: :[[@LINE-7]]:5: note: this call enqueues it
  // CHECK-NOTES: :[[@LINE-9]]:5: note: this event is recorded before that work, not after it
}
void in_time(cudaGraph_t *g) {
  setup();
  cudaStreamBeginCapture(lead, cudaStreamCaptureModeGlobal);
  fork_all();
  for (int i = 0; i < 4; ++i) {
    work(lanes[i]);
    work(lanes[i]);
    cudaEventRecord(lanes[i].done, lanes[i].st);
  }
  join_all();
  cudaStreamEndCapture(lead, g);
}

// Streams and events in members, by name and in loops.
class Pipe {
public:
  Pipe() {
    for (cudaStream_t &s : st_)
      cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (cudaEvent_t &e : done_)
      cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming);
    cudaStreamCreateWithFlags(&lead_, cudaStreamNonBlocking);
  }
  void capture(cudaGraph_t *g) {
    cudaStreamBeginCapture(lead_, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked_, lead_);
    for (int i = 0; i < 3; ++i) {
      cudaStreamWaitEvent(st_[i], forked_, 0);
      k<<<1, 1, 0, st_[i]>>>(nullptr);
      cudaEventRecord(done_[i], st_[i]);
    }
    for (int i = 0; i < 3; ++i)
      cudaStreamWaitEvent(lead_, done_[i], 0);
    cudaStreamEndCapture(lead_, g);
  }
  void all_but_one(cudaGraph_t *g) {
    cudaStreamBeginCapture(lead_, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked_, lead_);
    for (int i = 0; i < 3; ++i) {
      cudaStreamWaitEvent(st_[i], forked_, 0);
      k<<<1, 1, 0, st_[i]>>>(nullptr);
      cudaEventRecord(done_[i], st_[i]);
    }
    for (int i = 1; i < 3; ++i)
      cudaStreamWaitEvent(lead_, done_[i], 0);
    cudaStreamEndCapture(lead_, g);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture of 'lead_' with unjoined work on stream 'st_[i]'
  }

private:
  std::array<cudaStream_t, 3> st_;
  std::array<cudaEvent_t, 3> done_;
  cudaEvent_t forked_;
  cudaStream_t lead_;
};
void pipe(cudaGraph_t *g) {
  Pipe p;
  p.capture(g);
  p.all_but_one(g);
}

// Several callables in a container of structures: all are called.
struct Context {
  cudaStream_t stream;
};
class Passes {
public:
  void add(std::string name, std::function<void(const Context &)> run) {
    passes_.push_back({std::move(name), std::move(run)});
  }
  void execute(const Context &c) const {
    for (const Pass &p : passes_)
      p.run(c);
  }

private:
  struct Pass {
    std::string name;
    std::function<void(const Context &)> run;
  };
  std::vector<Pass> passes_;
};
class Loader {
public:
  Loader() {
    cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming);
  }
  void request() { cudaEventRecord(ready_, copies_); }
  void await(cudaStream_t s) const {
    cudaStreamWaitEvent(s, ready_, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'ready_', which was recorded outside the capture, while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905)
  }
  void awaitOutside(cudaStream_t s) const {
    cudaStreamWaitEvent(s, ready_, cudaEventWaitExternal);
  }

private:
  cudaStream_t copies_;
  cudaEvent_t ready_;
};
void prefetched(bool external, cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Loader loader;
  Passes passes;
  passes.add("load", [&](const Context &c) { loader.await(c.stream); });
  passes.add("compute", [&](const Context &c) { k<<<1, 1, 0, c.stream>>>(nullptr); });
  loader.request();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  passes.execute(Context{s});
  cudaStreamEndCapture(s, g);
}
void prefetched_outside(cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Loader loader;
  Passes passes;
  passes.add("load", [&](const Context &c) { loader.awaitOutside(c.stream); });
  passes.add("compute", [&](const Context &c) { k<<<1, 1, 0, c.stream>>>(nullptr); });
  loader.request();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  passes.execute(Context{s});
  cudaStreamEndCapture(s, g);
}

// An event that was recorded in a capture represents nothing outside it.
class Net {
public:
  Net() {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking);
    cudaEventCreate(&inside_);
    cudaEventCreate(&external_);
    cudaEventCreate(&again_);
  }
  void build() {
    cudaGraph_t g = nullptr;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s_>>>(nullptr);
    cudaEventRecord(inside_, s_);
    cudaEventRecord(again_, s_);
    cudaEventRecordWithFlags(external_, s_, cudaEventRecordExternal);
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void run() {
    cudaGraphLaunch(exec_, s_);
    cudaEventRecord(again_, s_);
    cudaStreamWaitEvent(other_, again_, 0);
    cudaStreamWaitEvent(other_, external_, 0);
    cudaEventSynchronize(external_);
    cudaStreamWaitEvent(other_, inside_, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamWaitEvent' uses event 'inside_' outside the capture of 's_', which recorded it; CUDA returns cudaErrorInvalidValue (1) [cudagraph-stream-dependency]
    cudaEventSynchronize(inside_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaEventSynchronize' uses event 'inside_' outside
  }

private:
  cudaStream_t s_, other_;
  cudaEvent_t inside_, external_, again_;
  cudaGraphExec_t exec_;
};
void net() {
  Net n;
  n.build();
  n.run();
}
