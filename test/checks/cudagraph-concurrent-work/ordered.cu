// Code that may separate a call in another thread from a capture: an overlap is
// only reported as possible.

// RUN: %check %s cudagraph-concurrent-work --real-std

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

__global__ void k(float *x);

// Both the call and the capture hold a lock.
class Locked {
public:
  void start() {
    thread_ = std::thread([this] { loop(); });
  }
  void capture(cudaStream_t s, float *x, cudaGraph_t *g) {
    std::lock_guard<std::mutex> lock(mutex_);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s>>>(x);
    cudaStreamEndCapture(s, g);
  }
  void stop() {
    running_ = false;
    thread_.join();
  }

private:
  void loop() {
    while (running_) {
      std::lock_guard<std::mutex> lock(mutex_);
      float *chunk;
      cudaMalloc(&chunk, 16);
    }
  }
  std::mutex mutex_;
  std::atomic<bool> running_{true};
  std::thread thread_;
};
void locked(cudaStream_t s, float *x, cudaGraph_t *g) {
  Locked l;
  l.start();
  l.capture(s, x, g);
  l.stop();
}

// The thread's lock does not protect the capture's data.
class OneLocked {
public:
  void start() {
    thread_ = std::thread([this] { loop(); });
  }
  void capture(cudaStream_t s, float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s>>>(x);
    cudaStreamEndCapture(s, g);
  }
  void stop() {
    running_ = false;
    thread_.join();
  }

private:
  void loop() {
    while (running_) {
      std::lock_guard<std::mutex> lock(mutex_);
      float *chunk;
      cudaMalloc(&chunk, 32);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc' allocates device memory
    }
  }
  std::mutex mutex_;
  std::atomic<bool> running_{true};
  std::thread thread_;
};
void oneLocked(cudaStream_t s, float *x, cudaGraph_t *g) {
  OneLocked l;
  l.start();
  l.capture(s, x, g);
  l.stop();
}

// The thread allocates once, and signals that it is ready.
struct Ready {
  std::atomic<bool> ready{false}, stop{false};
  std::thread thread;
  float *x;
  void start() {
    thread = std::thread([this] {
      cudaMalloc(&x, 64);
      ready = true;
      while (!stop)
        std::this_thread::yield();
    });
    while (!ready)
      std::this_thread::yield();
  }
};
void ready(cudaStream_t s, float *x, cudaGraph_t *g) {
  Ready r;
  r.start();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  r.stop = true;
  r.thread.join();
}

// The thread continues to allocate after it is ready.
struct Repeats {
  std::atomic<int> chunks{0};
  std::atomic<bool> stop{false};
  std::thread thread;
  void start() {
    thread = std::thread([this] {
      while (!stop) {
        float *x;
        cudaMalloc(&x, 128);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaMalloc' allocates device memory
        ++chunks;
      }
    });
    while (chunks == 0)
      std::this_thread::yield();
  }
};
void repeats(cudaStream_t s, float *x, cudaGraph_t *g) {
  Repeats r;
  r.start();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  r.stop = true;
  r.thread.join();
}

// The thread waits until it may continue.
struct Paused {
  std::mutex mutex;
  std::condition_variable changed;
  bool paused = false, stop = false;
  std::thread thread;
  void start() {
    thread = std::thread([this] {
      for (;;) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [this] { return !paused || stop; });
        if (stop)
          return;
        float *x;
        cudaMalloc(&x, 256);
      }
    });
  }
  void pause(bool on) {
    std::lock_guard<std::mutex> lock(mutex);
    paused = on;
    changed.notify_all();
  }
  void end() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stop = true;
    }
    changed.notify_all();
    thread.join();
  }
};
void paused(cudaStream_t s, float *x, cudaGraph_t *g) {
  Paused p;
  p.start();
  p.pause(true);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  p.pause(false);
  p.end();
}

// The thread is joined through the object to which it was moved.
struct Moved {
  std::thread thread;
  void start() {
    thread = std::thread([this] {
      float *x;
      cudaMalloc(&x, 512);
    });
  }
  void stop() {
    std::thread mine = std::move(thread);
    mine.join();
  }
};
void moved(cudaStream_t s, float *x, cudaGraph_t *g) {
  Moved m;
  m.start();
  m.stop();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}
