// A thread that is active during a capture counts its own work, and the thread that
// captures counts the captured work.

// RUN: %check %s cudagraph-host-logic --real-std

#include <cuda_runtime.h>
#include <atomic>
#include <thread>

__global__ void kernel(float *x);

class Loader {
public:
  void start() {
    running_ = true;
    worker_ = std::thread([this] { loop(); });
    while (chunks_ == 0)
      std::this_thread::yield();
  }
  void stop() {
    running_ = false;
    worker_.join();
  }

private:
  void loop() {
    while (running_)
      ++chunks_;
  }
  std::thread worker_;
  std::atomic<bool> running_{false};
  std::atomic<int> chunks_{0};
};

class Engine {
public:
  void record(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    kernel<<<1, 32, 0, stream_>>>(x);
    ++steps_;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'steps_' changes during the capture
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  bool isWarm() const { return steps_ > 3; }

private:
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  std::atomic<int> steps_{0};
};

int main() {
  Loader loader;
  Engine engine;
  loader.start();
  engine.record(nullptr);
  loader.stop();
  return engine.isWarm();
}
