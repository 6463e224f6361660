// Elements of a container whose graphs are stored elsewhere, or in an element
// that a new element replaces by its own: the container moves the elements when
// it grows, and the earlier graphs still use the old ones.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <cuda_runtime.h>
#include <deque>
#include <vector>

struct Meter {
  int frames = 0;
  const float *level = nullptr;
  cudaGraphExec_t exec = nullptr;
};
void done(void *user) { static_cast<Meter *>(user)->frames++; }
__global__ void peak(float *out);

// The graphs are elements of another container.
class Bank {
public:
  explicit Bank(cudaStream_t s) : s(s) {}
  void add() {
    meters.push_back(Meter{});
    graphs.push_back(record(meters.back()));
  }
  void run(int i) { cudaGraphLaunch(graphs[i], s); }

private:
  cudaGraphExec_t record(Meter &meter) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    peak<<<1, 1, 0, s>>>(nullptr);
    cudaLaunchHostFunc(s, done, &meter);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the host function of 'cudaLaunchHostFunc' uses the elements of 'meters', which 'Bank::add' may move when the container grows; every replay will use freed memory [cudagraph-dangling-memory]
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }
  cudaStream_t s;
  std::vector<Meter> meters;
  std::vector<cudaGraphExec_t> graphs;
};

// Each element has its graph. The new element has none at first.
class Hub {
public:
  explicit Hub(cudaStream_t s) : s(s) {}
  void add() {
    meters.push_back(Meter{});
    Meter &meter = meters.back();
    record(meter);
  }
  void run(int i) { cudaGraphLaunch(meters[i].exec, s); }

private:
  void record(Meter &meter) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    peak<<<1, 1, 0, s>>>(nullptr);
    cudaLaunchHostFunc(s, done, &meter);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the host function of 'cudaLaunchHostFunc' uses the elements of 'meters', which 'Hub::add' may move when the container grows; every replay will use freed memory [cudagraph-dangling-memory]
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&meter.exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s;
  std::vector<Meter> meters;
};

// Legal: the elements of a deque do not move.
class Stable {
public:
  explicit Stable(cudaStream_t s) : s(s) {}
  void add() {
    meters.push_back(Meter{});
    graphs.push_back(record(meters.back()));
  }
  void run(int i) { cudaGraphLaunch(graphs[i], s); }

private:
  cudaGraphExec_t record(Meter &meter) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    peak<<<1, 1, 0, s>>>(nullptr);
    cudaLaunchHostFunc(s, done, &meter);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }
  cudaStream_t s;
  std::deque<Meter> meters;
  std::vector<cudaGraphExec_t> graphs;
};

// Legal: there is only one graph, which is replaced.
class Latest {
public:
  explicit Latest(cudaStream_t s) : s(s) {}
  void add() {
    meters.push_back(Meter{});
    if (exec)
      cudaGraphExecDestroy(exec);
    record(meters.back());
  }
  void run(int) { cudaGraphLaunch(exec, s); }

private:
  void record(Meter &meter) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    peak<<<1, 1, 0, s>>>(nullptr);
    cudaLaunchHostFunc(s, done, &meter);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s;
  std::vector<Meter> meters;
  cudaGraphExec_t exec = nullptr;
};

// Legal: all elements exist before the first graph.
class Prepared {
public:
  explicit Prepared(cudaStream_t s) : s(s) {
    for (int i = 0; i < 3; ++i)
      meters.push_back(Meter{});
  }
  void add() {
    graphs.push_back(record(meters[graphs.size()]));
  }
  void run(int i) { cudaGraphLaunch(graphs[i], s); }

private:
  cudaGraphExec_t record(Meter &meter) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    peak<<<1, 1, 0, s>>>(nullptr);
    cudaLaunchHostFunc(s, done, &meter);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }
  cudaStream_t s;
  std::vector<Meter> meters;
  std::vector<cudaGraphExec_t> graphs;
};

template <class B> void use(cudaStream_t s) {
  B bank(s);
  bank.add();
  bank.run(0);
  bank.add();
  bank.run(0);
  bank.run(1);
}
int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  use<Bank>(s);
  use<Hub>(s);
  use<Stable>(s);
  use<Latest>(s);
  use<Prepared>(s);
}
