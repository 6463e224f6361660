// A signal lets another thread continue; a wait for that thread is not a lock.

// RUN: %check %s cudagraph-host-logic --real-std --confidence=possible

#include <future>

__global__ void k(float *x);

// A thread that waits for the beginning of the capture, and prepares a value
// for it: the capture is thread-local.
struct Loader {
  std::promise<void> begun;
  float *load();
  cudaGraph_t record(cudaStream_t s) {
    std::future<float *> loading =
        std::async(std::launch::async,
                   [this, ready = begun.get_future().share()] {
                     ready.wait();
                     return load();
                   });
    cudaGraph_t graph = nullptr;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) !=
        cudaSuccess)
      return graph;
    begun.set_value();
    k<<<1, 1, 0, s>>>(loading.get());
    // CHECK-MESSAGES: :[[@LINE-2]]:5: warning: 'std::promise::set_value' signals another thread during the capture of 's'
    // CHECK-MESSAGES: :[[@LINE-2]]:23: warning: 'std::future::get' waits for another thread during the capture of 's'
    if (cudaStreamEndCapture(s, &graph) != cudaSuccess)
      return nullptr;
    return graph;
  }
};

// The purpose of the wait is unknown.
cudaGraph_t waits(cudaStream_t s, std::future<float *> &other) {
  cudaGraph_t graph = nullptr;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) !=
      cudaSuccess)
    return graph;
  k<<<1, 1, 0, s>>>(other.get());
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'std::future::get' waits for another thread during the capture of 's'
  if (cudaStreamEndCapture(s, &graph) != cudaSuccess)
    return nullptr;
  return graph;
}
