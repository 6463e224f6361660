// Possible bookkeeping of a cache or an allocator is shown only on request.

// RUN: %check %s cudagraph-host-logic --confidence=possible
// RUN: %check %s cudagraph-host-logic --suffix=DEFAULT

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

__global__ void kernel(float *x);

struct Arena {
  char *base;
  size_t used = 0;
  std::vector<size_t> sizes;
  std::mutex mutex;
  void *take(size_t n) {
    void *p = base + used;
    used += n;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'used' changes during the capture of 's' (blocking, global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    sizes.push_back(n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container on which it is called during the capture of 's' (blocking, global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    return p;
  }
};

void capture(Arena &arena) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>((float *)arena.take(1024));
  cudaStreamEndCapture(s, &graph);
}

// Settings that are read on the first call, in callees of the region. Settings
// read in direct callees, or on every path, are reported by default.
static bool verbose;
static void tune(int n) {
  if (verbose)
    std::printf("%d\n", n);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'printf' writes {{.*}} [cudagraph-host-logic]
}
static void plan(int n) { tune(n); }
static void prepare(int n) {
  plan(n);
  if (verbose)
    std::printf("%d\n", n);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'printf' writes {{.*}} [cudagraph-host-logic]
  // CHECK-MESSAGES-DEFAULT: :[[@LINE-2]]:5: warning: 'printf' writes {{.*}} [cudagraph-host-logic]
}
void capture_prepared(float *x, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  prepare(1);
  kernel<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, graph);
}

// A class that captures for its users may keep records of its captures.
class Recorder {
public:
  void begin(cudaStream_t s) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  void note(int site) {
    sites_.push_back(site);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes {{.*}} [cudagraph-host-logic]
  }
  void end(cudaStream_t s, cudaGraph_t *graph) {
    cudaStreamEndCapture(s, graph);
  }

private:
  std::vector<int> sites_;
};
void recorded(Recorder &recorder, float *x, cudaStream_t s,
              cudaGraph_t *graph) {
  recorder.begin(s);
  kernel<<<1, 32, 0, s>>>(x);
  recorder.note(1);
  recorder.end(s, graph);
}

// Code called from one location in the region is treated as part of the region;
// code with several callers, and code that locks its own object, is not.
static std::mutex shared_mutex;
static void guarded(cudaStream_t s, float *x) {
  shared_mutex.lock();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::mutex::lock' takes a lock during the capture
  // CHECK-MESSAGES-DEFAULT: :[[@LINE-2]]:3: warning: 'std::mutex::lock' takes a lock during the capture
  kernel<<<1, 32, 0, s>>>(x);
  shared_mutex.unlock();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::mutex::unlock' releases a lock during the capture
}
static void everywhere() {
  shared_mutex.lock();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::mutex::lock' takes a lock during the capture
  shared_mutex.unlock();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::mutex::unlock' releases a lock during the capture
}
struct Registry {
  std::mutex mutex;
  void visit() {
    mutex.lock();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::mutex::lock' takes a lock during the capture
    mutex.unlock();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::mutex::unlock' releases a lock during the capture
  }
};
void calls(Registry &registry, float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  guarded(s, x);
  everywhere();
  everywhere();
  registry.visit();
  cudaStreamEndCapture(s, &graph);
}

// A local variable with a different value at the launch may have been set for
// the next capture.
__global__ void other(float *x);
void chosen_by_local(float *x, cudaStream_t s, int steps) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  auto chosen = steps > 3 ? other : kernel;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  chosen<<<1, 32, 0, s>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the launched kernel depends on 'chosen', which has a different value when the graph is launched; replays repeat the choice made at capture [cudagraph-host-logic]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < steps; ++i) {
    chosen = i % 2 ? other : kernel;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it changes here
    cudaGraphLaunch(exec, s);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: the graph is launched here
  }
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
}

void switched_by_local(float *x, cudaStream_t s, int steps, int mode) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  switch (mode) {
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: the branch depends on 'mode', which has a different value when the graph is launched; replays repeat the branch taken at capture [cudagraph-host-logic]
  case 0:
    kernel<<<1, 32, 0, s>>>(x);
    break;
  case 1:
    other<<<1, 32, 0, s>>>(x);
    break;
  }
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < steps; ++i) {
    mode = i % 2;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it changes here
    cudaGraphLaunch(exec, s);
  }
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
}

// The work is captured again for each value.
void captured_again(float *x, cudaStream_t s, int steps) {
  for (int mode = 0; mode < steps; ++mode) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    switch (mode) {
    case 0:
      kernel<<<1, 32, 0, s>>>(x);
      break;
    case 1:
      other<<<1, 32, 0, s>>>(x);
      break;
    }
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
}

static void worker();

// The thread may prepare the work that is captured.
void threads(cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  std::thread t(worker);
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: 'std::thread::thread' starts a thread during the capture of 's' (thread-local mode); the thread is used once, at capture, and not on replay [cudagraph-host-logic]
  t.join();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::thread::join' waits for a thread during the capture of 's' (thread-local mode); the thread is used once, at capture, and not on replay [cudagraph-host-logic]
  cudaStreamEndCapture(s, &graph);
}
