// A thread that a function returns runs from the time of the call, even with a
// launch policy before the callable.

// RUN: %check %s cudagraph-concurrent-work --real-std

#include <future>

__global__ void k(float *x);

struct Loader {
  cudaError_t status = cudaSuccess;
  float *load() {
    float *data = nullptr;
    status = cudaMalloc(&data, 64);
    // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'cudaMalloc' allocates device memory while 's_' (blocking, global mode) captures
    return data;
  }
  float *loadQuietly() {
    float *data = nullptr;
    status = cudaMalloc(&data, 64);
    return data;
  }
  float *loadBefore() {
    float *data = nullptr;
    status = cudaMalloc(&data, 64);
    return data;
  }
};

class Plan {
public:
  Plan() { cudaStreamCreate(&s_); }
  void inGlobalMode(Loader &loader) {
    auto pending = std::async(std::launch::async,
                              [&loader] { return loader.load(); });
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s_>>>(pending.get());
    cudaStreamEndCapture(s_, &graph_);
  }
  void inThreadLocalMode(Loader &loader) {
    auto pending = std::async(std::launch::async,
                              [&loader] { return loader.loadQuietly(); });
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(pending.get());
    cudaStreamEndCapture(s_, &graph_);
  }
  void before(Loader &loader) {
    auto pending = std::async(std::launch::async,
                              [&loader] { return loader.loadBefore(); });
    float *data = pending.get();
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s_>>>(data);
    cudaStreamEndCapture(s_, &graph_);
  }

private:
  cudaStream_t s_;
  cudaGraph_t graph_;
};

int main() {
  Loader loader;
  Plan plan;
  plan.inGlobalMode(loader);
  plan.inThreadLocalMode(loader);
  plan.before(loader);
}
