// Possible bookkeeping of a cache or an allocator is shown only on request.

// RUN: %check %s cudagraph-host-logic --confidence=possible
// RUN: %check %s cudagraph-host-logic --suffix=DEFAULT

#include <cstdio>
#include <mutex>
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
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container it is called on during the capture of 's' (blocking, global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
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

// Settings that are read on the first call, in callees of the region. Those
// that are closer, or are read on every path, are reported by default.
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

// A class that captures for its users has bookkeeping of its captures.
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

// Code called from one place of the region is treated as part of the region;
// code with several callers, and code that locks an object of its own, is not.
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
