// A thread continues to run after it is assigned to a different object.

// RUN: %check %s cudagraph-concurrent-work --real-std

#include <atomic>
#include <thread>
#include <utility>

__global__ void k(float *x);

class Prefetcher {
public:
  void start() {
    running_ = true;
    worker_ = std::thread([this] { loop(); });
  }
  void stop() {
    running_ = false;
    if (worker_.joinable())
      worker_.join();
  }

private:
  void loop() {
    while (running_) {
      float *chunk = nullptr;
      cudaMalloc(&chunk, 64);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures
      use(chunk);
    }
  }
  void use(float *chunk);
  std::atomic<bool> running_{false};
  std::thread worker_;
};
void besidePrefetcher(cudaStream_t s, float *x, cudaGraph_t *g) {
  Prefetcher p;
  p.start();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  p.stop();
}

void allocate() {
  float *x;
  cudaMalloc(&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures
}
void besideFunction(cudaStream_t s, float *x, cudaGraph_t *g) {
  std::thread t;
  t = std::thread(allocate);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  t.join();
}

// The thread is joined before the capture begins.
struct Setup {
  std::thread thread;
  void start() {
    thread = std::thread([this] { run(); });
  }
  void run() {
    float *x;
    cudaMalloc(&x, 8);
  }
};
void afterSetup(cudaStream_t s, float *x, cudaGraph_t *g) {
  Setup setup;
  setup.start();
  setup.thread.join();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

// The thread allocates nothing and works on a separate stream.
void besideWork(cudaStream_t s, cudaStream_t other, float *x, cudaGraph_t *g) {
  std::thread t;
  t = std::thread([=] { k<<<1, 1, 0, other>>>(x); });
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  t.join();
}
