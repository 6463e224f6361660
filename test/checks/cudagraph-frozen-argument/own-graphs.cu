// Each object has its own graph, and a new object has none. A graph that ends with its
// owner, or that the program drops, does not miss later changes.

// RUN: %check %s cudagraph-frozen-argument --real-std
// REQUIRES: gxx

#include <memory>
#include <vector>

__global__ void blur(float *image, int radius);

// Each case has its own class, so each has its own capture.
template <int Case> class Blur {
public:
  explicit Blur(cudaStream_t stream) : stream_(stream) {}
  ~Blur() { reset(); }
  void reset() {
    if (exec_) {
      cudaGraphExecDestroy(exec_);
      exec_ = nullptr;
    }
  }
  void run(int radius) {
    if (!exec_)
      exec_ = record(radius);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  cudaGraphExec_t record(int radius) {
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    blur<<<1, 64, 0, stream_>>>(image_, radius);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }

  cudaStream_t stream_;
  float *image_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The same class, for the wrong cases.
template <int Case> class Stale {
public:
  explicit Stale(cudaStream_t stream) : stream_(stream) {}
  void run(int radius) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
      blur<<<1, 64, 0, stream_>>>(image_, radius);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'radius' of kernel 'blur' has a different value when the graph is launched
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
      cudaGraphDestroy(graph);
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  cudaStream_t stream_;
  float *image_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// Legal: each iteration has a new object.
void newObjects(cudaStream_t stream) {
  for (int radius : {1, 2, 4}) {
    Blur<0> local(stream);
    for (int i = 0; i < 3; ++i)
      local.run(radius);
  }
  std::unique_ptr<Blur<1>> owned;
  for (int radius : {1, 2, 4}) {
    owned = std::make_unique<Blur<1>>(stream);
    owned->run(radius);
    owned->run(radius);
  }
  for (int radius = 1; radius < 9; ++radius) {
    std::vector<Blur<2>> two;
    two.emplace_back(stream);
    two.emplace_back(stream);
    for (auto &each : two)
      each.run(radius);
    for (auto &each : two)
      each.run(radius);
  }
}

// Legal: the program drops the graph before it passes another number.
void dropped(cudaStream_t stream) {
  Blur<3> one(stream);
  for (int radius : {1, 2, 4}) {
    one.reset();
    for (int i = 0; i < 3; ++i)
      one.run(radius);
  }
}

// Legal: each object always receives the same number.
void elements(cudaStream_t stream) {
  const int radii[] = {1, 2, 4};
  std::vector<Blur<4>> byIndex;
  std::vector<std::unique_ptr<Blur<5>>> onHeap;
  for (int i = 0; i < 3; ++i) {
    byIndex.emplace_back(stream);
    onHeap.push_back(std::make_unique<Blur<5>>(stream));
  }
  Blur<6> even(stream), odd(stream);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 3; ++i) {
      byIndex[i].run(radii[i]);
      onHeap[i]->run(8 * i);
      (i % 2 ? odd : even).run(i % 2 ? 1 : 2);
    }
}

// Wrong: the objects live longer than the number.
void longLived(cudaStream_t stream) {
  Stale<0> one(stream);
  for (int radius : {1, 2, 4})
    for (int i = 0; i < 3; ++i)
      one.run(radius);
  std::vector<Stale<1>> all;
  for (int i = 0; i < 3; ++i)
    all.emplace_back(stream);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 3; ++i)
      all[i].run(round);
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  newObjects(stream);
  dropped(stream);
  elements(stream);
  longLived(stream);
}
