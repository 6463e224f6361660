// A waiting thread is woken during a capture, and makes its calls then.

// RUN: %check %s cudagraph-concurrent-work --real-std

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

__global__ void k(float *x);

struct Request {
  size_t bytes;
  std::promise<float *> done;
};

// A thread that allocates what others request.
template <bool Relaxed> class Allocator {
public:
  Allocator() : worker_([this] { loop(); }) {}
  ~Allocator() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    worker_.join();
  }
  std::future<float *> request(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    pending_.emplace_back();
    pending_.back().bytes = bytes;
    std::future<float *> result = pending_.back().done.get_future();
    wake_.notify_one();
    return result;
  }

private:
  void loop() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || !pending_.empty(); });
      if (pending_.empty())
        return;
      Request next = std::move(pending_.front());
      pending_.pop_front();
      lock.unlock();
      cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
      if (Relaxed)
        cudaThreadExchangeStreamCaptureMode(&mode);
      float *x = nullptr;
      cudaMalloc(&x, next.bytes);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901)
      if (Relaxed)
        cudaThreadExchangeStreamCaptureMode(&mode);
      next.done.set_value(x);
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Request> pending_;
  bool stop_ = false;
  std::thread worker_;
};

template <typename Requests>
void capture(Requests &requests, cudaStreamCaptureMode mode) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaGraph_t g;
  cudaStreamBeginCapture(s, mode);
  k<<<1, 1, 0, s>>>(requests.request(64).get());
  cudaStreamEndCapture(s, &g);
}

void during() {
  Allocator<false> allocator;
  capture(allocator, cudaStreamCaptureModeGlobal);
}
void relaxed() {
  Allocator<true> allocator;
  capture(allocator, cudaStreamCaptureModeGlobal);
}
void thread_local_mode() {
  Allocator<false> allocator;
  capture(allocator, cudaStreamCaptureModeThreadLocal);
}

// Both the request and the wait for its result precede the capture, so the
// thread makes no more calls.
class Cleaner {
public:
  Cleaner() : worker_([this] { loop(); }) {}
  float *request() {
    std::unique_lock<std::mutex> lock(mutex_);
    wanted_ = true;
    wake_.notify_one();
    ready_.wait(lock, [this] { return !wanted_; });
    return x_;
  }
  void log() {
    std::lock_guard<std::mutex> lock(mutex_);
    ++lines_;
    written_.notify_one(); // wakes no thread of this class
  }

private:
  void loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return wanted_; });
      cudaMalloc(&x_, 64);
      wanted_ = false;
      ready_.notify_one();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_, ready_, written_;
  bool wanted_ = false;
  int lines_ = 0;
  float *x_ = nullptr;
  std::thread worker_;
};

void before(cudaStream_t s, cudaGraph_t *g) {
  Cleaner cleaner;
  float *x = cleaner.request();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cleaner.log();
  cudaStreamEndCapture(s, g);
}

// The capturing thread holds the lock that the other needs for its calls.
class Locked {
public:
  Locked() : worker_([this] { loop(); }) {}
  void capture(cudaStream_t s, float *x, cudaGraph_t *g) {
    std::lock_guard<std::mutex> lock(mutex_);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s>>>(x);
    wake_.notify_one();
    cudaStreamEndCapture(s, g);
  }

private:
  void loop() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock);
      float *x;
      cudaMalloc(&x, 16);
      cudaFree(x);
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread worker_;
};
void locked(cudaStream_t s, float *x, cudaGraph_t *g) {
  Locked l;
  l.capture(s, x, g);
}
