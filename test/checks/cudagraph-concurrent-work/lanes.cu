// Each element of a container has its stream and its graph, and the graphs
// share memory.

// RUN: %check %s cudagraph-concurrent-work --real-std

#include <array>
#include <memory>
#include <vector>

__global__ void fill(float *work, float value) { work[threadIdx.x] = value; }
__global__ void part(float *work, int first) { work[first + threadIdx.x] = 1; }
__global__ void use(const float *work, float *out) {
  out[threadIdx.x] = work[threadIdx.x];
}

struct Lane {
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr;
  cudaGraphExec_t exec = nullptr;
  float *out = nullptr, *own = nullptr;
  void open() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMalloc(&out, 1024);
    cudaMalloc(&own, 1024);
  }
};

enum class Memory { Shared, Own, Part };

template <Memory Kind> struct Pool {
  std::array<Lane, 4> lanes;
  cudaStream_t main;
  cudaEvent_t start;
  float *work;

  Pool() {
    cudaStreamCreateWithFlags(&main, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&start, cudaEventDisableTiming);
    cudaMalloc(&work, 4096);
    int i = 0;
    for (Lane &l : lanes) {
      l.open();
      record(l, i++);
    }
  }
  void record(Lane &l, int number) {
    cudaGraph_t g;
    cudaStreamBeginCapture(l.stream, cudaStreamCaptureModeThreadLocal);
    if constexpr (Kind == Memory::Shared)
      fill<<<1, 256, 0, l.stream>>>(work, 1);
    else if constexpr (Kind == Memory::Own)
      fill<<<1, 256, 0, l.stream>>>(l.own, 1);
    else
      part<<<1, 256, 0, l.stream>>>(work, number * 256);
    use<<<1, 256, 0, l.stream>>>(work, l.out);
    cudaStreamEndCapture(l.stream, &g);
    cudaGraphInstantiate(&l.exec, g, 0);
    cudaGraphDestroy(g);
  }
  void launch(int i) { cudaGraphLaunch(lanes[i].exec, lanes[i].stream); }
  void wait(int i) { cudaStreamSynchronize(lanes[i].stream); }
};
using Shared = Pool<Memory::Shared>;

void loop() {
  Shared p;
  for (Lane &l : p.lanes)
    cudaGraphLaunch(l.exec, l.stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'work' with a graph on another stream, and kernel 'fill' writes to it; CUDA returns success, and both graphs may run at the same time [cudagraph-concurrent-work]
  cudaDeviceSynchronize();
}

void forked() {
  Shared p;
  cudaEventRecord(p.start, p.main);
  for (Lane &l : p.lanes) {
    cudaStreamWaitEvent(l.stream, p.start, 0);
    cudaGraphLaunch(l.exec, l.stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'work' with a graph on another stream, and kernel 'fill' writes to it
    cudaEventRecord(l.done, l.stream);
    cudaStreamWaitEvent(p.main, l.done, 0);
  }
  cudaStreamSynchronize(p.main);
}

void counted() {
  Shared p;
  for (int i = 0; i < 4; ++i) {
    Lane *l = &p.lanes[i];
    cudaGraphLaunch(l->exec, l->stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'work' with a graph on another stream, and kernel 'fill' writes to it
  }
  for (int i = 0; i < 4; ++i)
    p.wait(i);
}

void launched(Lane &l) {
  cudaGraphLaunch(l.exec, l.stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphLaunch' launches a graph that shares 'work' with a graph on another stream, and kernel 'fill' writes to it
}
void known() {
  Shared p;
  launched(p.lanes[0]);
  launched(p.lanes[1]);
  p.wait(0);
  p.wait(1);
}

// The host waits between the launches.
void waiting() {
  Shared p;
  for (Lane &l : p.lanes) {
    cudaGraphLaunch(l.exec, l.stream);
    cudaStreamSynchronize(l.stream);
  }
  for (int i = 0; i < 4; ++i) {
    p.launch(i);
    p.wait(i);
  }
  p.launch(0);
  p.wait(0);
  p.launch(1);
}

// The launches follow each other.
void chained() {
  Shared p;
  for (Lane &l : p.lanes) {
    cudaEventRecord(p.start, p.main);
    cudaStreamWaitEvent(l.stream, p.start, 0);
    cudaGraphLaunch(l.exec, l.stream);
    cudaEventRecord(l.done, l.stream);
    cudaStreamWaitEvent(p.main, l.done, 0);
  }
  cudaStreamSynchronize(p.main);
}

// One element is launched repeatedly.
void again() {
  Shared p;
  for (int i = 0; i < 10; ++i)
    cudaGraphLaunch(p.lanes[2].exec, p.lanes[2].stream);
}

// All graphs are launched on one stream.
void oneStream() {
  Shared p;
  for (Lane &l : p.lanes)
    cudaGraphLaunch(l.exec, p.main);
}

// Each lane writes to memory of its own, or to its own part.
void apart() {
  Pool<Memory::Own> own;
  for (Lane &l : own.lanes)
    cudaGraphLaunch(l.exec, l.stream);
  Pool<Memory::Part> part;
  for (Lane &l : part.lanes)
    cudaGraphLaunch(l.exec, l.stream);
}

// The elements are objects on the heap.
class Session {
public:
  Session() {
    cudaMalloc(&work_, 1024);
    for (auto &l : lanes_) {
      l = std::make_unique<Lane>();
      l->open();
      record(*l);
    }
  }
  void submit(int lane) {
    Lane &l = *lanes_[lane];
    cudaGraphLaunch(l.exec, l.stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'work_' with a graph on another stream, and kernel 'fill' writes to it
  }
  void replay(int lane) {
    Lane &l = *lanes_[lane];
    cudaGraphLaunch(l.exec, l.stream);
  }
  void collect(int lane) { cudaStreamSynchronize(lanes_[lane]->stream); }

private:
  void record(Lane &l) {
    cudaGraph_t g;
    cudaStreamBeginCapture(l.stream, cudaStreamCaptureModeThreadLocal);
    fill<<<1, 256, 0, l.stream>>>(work_, 1);
    use<<<1, 256, 0, l.stream>>>(work_, l.out);
    cudaStreamEndCapture(l.stream, &g);
    cudaGraphInstantiate(&l.exec, g, 0);
    cudaGraphDestroy(g);
  }
  float *work_ = nullptr;
  std::array<std::unique_ptr<Lane>, 2> lanes_;
};
void served() {
  Session s;
  s.submit(0);
  s.submit(1);
  s.collect(0);
  s.collect(1);
  s.replay(0);
  s.collect(0);
  s.replay(1);
  s.collect(1);
}

// Legal: all elements share a stream, which orders their launches.
struct Pass {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
};
class Frame {
public:
  Frame() {
    cudaMalloc(&work_, 1024);
    cudaStreamCreateWithFlags(&common_, cudaStreamNonBlocking);
    for (Pass &p : passes_) {
      p.stream = common_;
      cudaGraph_t g;
      cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeThreadLocal);
      fill<<<1, 256, 0, p.stream>>>(work_, 1);
      cudaStreamEndCapture(p.stream, &g);
      cudaGraphInstantiate(&p.exec, g, 0);
      cudaGraphDestroy(g);
    }
  }
  void draw() {
    for (Pass &p : passes_)
      cudaGraphLaunch(p.exec, p.stream);
  }
  void draw(int i) { cudaGraphLaunch(passes_[i].exec, passes_[i].stream); }

private:
  std::array<Pass, 4> passes_;
  cudaStream_t common_;
  float *work_;
};
void drawn() {
  Frame f;
  f.draw();
  f.draw(0);
  f.draw(1);
}

// Legal: each pool has its own memory.
void pools() {
  Shared a, b;
  a.launch(0);
  b.launch(1);
  cudaDeviceSynchronize();
  for (Shared *each : {&a, &b})
    each->launch(2);
}
