// Captured code notifies callbacks of the program.

// RUN: %check %s cudagraph-host-logic --real-std

#include <cuda_runtime.h>
#include <functional>
#include <vector>

__global__ void k(int *p);

class Planner {
  std::vector<int> dirty;

public:
  void rowChanged(int row) {
    dirty.push_back(row);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container on which it is called during the capture of 'stream' (non-blocking, thread-local mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
  }
  size_t size() const { return dirty.size(); }
};

class Legal {
  std::vector<int> dirty;

public:
  void rowChanged(int row) { dirty.push_back(row); }
  size_t size() const { return dirty.size(); }
};

class Mapper {
  cudaStream_t stream;
  cudaGraphExec_t exec = nullptr;
  int *p, row = 3;
  std::vector<std::function<void(int)>> captured, launched;

  void update() {
    k<<<1, 1, 0, stream>>>(p);
    for (const auto &notify : captured)
      notify(row);
  }

public:
  Mapper() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&p, 4);
  }
  void onUpdate(std::function<void(int)> f) {
    captured.push_back(std::move(f));
  }
  void onLaunch(std::function<void(int)> f) {
    launched.push_back(std::move(f));
  }
  void record() {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))
      return;
    update();
    if (cudaStreamEndCapture(stream, &g))
      return;
    cudaGraphInstantiate(&exec, g, 0);
  }
  void scan() {
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    for (const auto &notify : launched)
      notify(row);
  }
};

int main() {
  Mapper mapper;
  Planner planner;
  Legal legal;
  int last = 0, count = 0;
  mapper.onUpdate([&](int row) {
    planner.rowChanged(row);
    last += row;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'last' changes during the capture of 'stream' (non-blocking, thread-local mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    // Legal: it counts the recordings.
    ++count;
  });
  mapper.onLaunch([&](int row) {
    legal.rowChanged(row);
    last += row;
  });
  mapper.record();
  for (int i = 0; i < 4; ++i)
    mapper.scan();
  return last + count + static_cast<int>(planner.size() + legal.size());
}
