// A buffer that is replaced under a condition may be a different one at the
// next launch, even if it was allocated under the same condition.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dangling-memory --real-std

#include <cstddef>
#include <utility>
#include <vector>

__global__ void k(float *x);
bool isFull();
static cudaStream_t created() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  return s;
}

template <class T> class Buffer {
public:
  /// Returns whether the buffer moved.
  bool resize(std::size_t n) {
    size_ = n;
    if (n <= capacity_)
      return false;
    cudaFree(data_);
    cudaMalloc(&data_, n * sizeof(T));
    capacity_ = n;
    return true;
  }
  void reserveIfFull() {
    if (isFull())
      grow(2 * capacity_ + 16);
  }
  T *data() const { return data_; }

private:
  void grow(std::size_t n) {
    T *grown = nullptr;
    cudaMalloc(&grown, n * sizeof(T));
    if (data_)
      cudaFree(data_);
    data_ = grown;
    capacity_ = n;
  }
  T *data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

class Scene {
public:
  void emit(int n) {
    std::vector<float> born;
    for (int i = 0; i < n; ++i)
      born.push_back(i);
    particles_.resize(born.size());
  }
  void step() {
    if (!exec_)
      record();
    cudaGraphLaunch(exec_, s_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(particles_.data());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'particles_.data()' of kernel 'k' is set by 'Buffer::resize' while the graph exists
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  Buffer<float> particles_;
  cudaStream_t s_ = created();
  cudaGraphExec_t exec_ = nullptr;
};

class Full {
public:
  void step() {
    x_.reserveIfFull();
    if (!exec_)
      record();
    cudaGraphLaunch(exec_, s_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(x_.data());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'x_.data()' of kernel 'k' is set by 'Buffer::grow' while the graph exists
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  Buffer<float> x_;
  cudaStream_t s_ = created();
  cudaGraphExec_t exec_ = nullptr;
};

// The graph is captured again if the buffer has moved.
class Moving {
public:
  void rebuild(int n) {
    std::vector<float> list;
    for (int i = 0; i < n; ++i)
      list.push_back(i);
    const bool moved = list_.resize(list.size());
    const bool again = other_.resize(n);
    cudaStreamSynchronize(s_);
    if ((moved || again) && exec_)
      cudaGraphExecDestroy(std::exchange(exec_, nullptr));
  }
  void step() {
    if (!exec_)
      record();
    cudaGraphLaunch(exec_, s_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(list_.data());
    k<<<1, 1, 0, s_>>>(other_.data());
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  Buffer<float> list_, other_;
  cudaStream_t s_ = created();
  cudaGraphExec_t exec_ = nullptr;
};

// The same buffer is restored before each launch.
class Restored {
public:
  void step(int n) {
    if (!exec_)
      record();
    float *kept = x_;
    if (isFull())
      x_ = y_;
    x_ = kept;
    cudaGraphLaunch(exec_, s_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(x_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  float *x_ = nullptr, *y_ = nullptr;
  cudaStream_t s_ = created();
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  Scene scene;
  scene.emit(200);
  scene.step();
  scene.emit(3000);
  scene.step();
  Full full;
  full.step();
  full.step();
  Moving moving;
  moving.rebuild(8);
  moving.step();
  for (int n : {12, 100, 40}) {
    moving.rebuild(n);
    moving.step();
  }
  Restored restored;
  restored.step(1);
  restored.step(2);
}
