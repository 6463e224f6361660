// Callables that the capturing thread passes to another thread.

// RUN: %check %s cudagraph-concurrent-work

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

__global__ void k(float *x);

// A thread in a member, and its queue.
class JobThread {
public:
  JobThread() : worker_([this] { loop(); }) {}
  template <class F> auto post(F f) {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(
        std::move(f));
    auto result = task->get_future();
    {
      std::lock_guard<std::mutex> lock(m_);
      jobs_.push_back([task] { (*task)(); });
    }
    cv_.notify_one();
    return result;
  }

private:
  void loop() {
    for (;;) {
      std::unique_lock<std::mutex> lock(m_);
      cv_.wait(lock, [this] { return !jobs_.empty(); });
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
  }
  std::mutex m_;
  std::condition_variable cv_;
  std::deque<std::function<void()>> jobs_;
  std::thread worker_;
};
struct Pool {
  JobThread io;
  float *get() {
    float *p = nullptr;
    io.post([&] {
      return (int)cudaMalloc(&p, 4);
      // CHECK-MESSAGES: :[[@LINE-1]]:19: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
    }).wait();
    return p;
  }
};
void shared_task(Pool &pool, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(pool.get());
  cudaStreamEndCapture(s, g);
}

// The queue contains tasks; the thread is started elsewhere.
class Loader {
public:
  void start() { worker_ = std::thread(&Loader::run, this); }
  std::future<void> load(float *x) {
    std::packaged_task<void()> job([x] {
      cudaFree(x);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
    });
    auto done = job.get_future();
    std::lock_guard<std::mutex> lock(m_);
    jobs_.emplace(std::move(job));
    return done;
  }

private:
  void run() {
    for (;;) {
      std::packaged_task<void()> job;
      {
        std::lock_guard<std::mutex> lock(m_);
        if (jobs_.empty())
          continue;
        job = std::move(jobs_.front());
        jobs_.pop();
      }
      job();
    }
  }
  std::mutex m_;
  std::queue<std::packaged_task<void()>> jobs_;
  std::thread worker_;
};
void moved_task(Loader &loader, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  loader.load(x).get();
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

// A user-defined queue, filled and emptied by its methods.
template <class T> class BlockingQueue {
public:
  void push(T v) {
    std::lock_guard<std::mutex> lock(m_);
    items_.push_back(std::move(v));
    cv_.notify_one();
  }
  T pop() {
    std::unique_lock<std::mutex> lock(m_);
    cv_.wait(lock, [this] { return !items_.empty(); });
    T v = std::move(items_.front());
    items_.pop_front();
    return v;
  }
  bool pop(T &out) {
    std::unique_lock<std::mutex> lock(m_);
    if (items_.empty())
      return false;
    out = std::move(items_.front());
    items_.pop_front();
    return true;
  }

private:
  std::mutex m_;
  std::condition_variable cv_;
  std::deque<T> items_;
};
class Returning {
public:
  Returning() : t_([this] {
    for (;;) {
      std::function<void()> f = q_.pop();
      f();
    }
  }) {}
  void submit(std::function<void()> f) { q_.push(std::move(f)); }

private:
  BlockingQueue<std::function<void()>> q_;
  std::thread t_;
};
void returned(Returning &r, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  r.submit([x] {
    cudaFreeHost(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFreeHost' frees pinned host memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  cudaStreamEndCapture(s, g);
}
class ThreadPool {
public:
  explicit ThreadPool(int n) {
    for (int i = 0; i < n; ++i)
      workers_.emplace_back([this] { work(); });
  }
  template <class F> void submit(F &&f) { tasks_.put(std::forward<F>(f)); }

private:
  struct Tasks {
    template <class F> void put(F &&f) {
      all.emplace_back(std::forward<F>(f));
    }
    bool take(std::function<void()> &out) {
      if (all.empty())
        return false;
      out = std::move(all.back());
      all.pop_back();
      return true;
    }
    std::vector<std::function<void()>> all;
  };
  void work() {
    std::function<void()> f;
    while (tasks_.take(f))
      f();
  }
  Tasks tasks_;
  std::vector<std::thread> workers_;
};
void by_out_parameter(ThreadPool &pool, float *x, cudaStream_t s,
                      cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  pool.submit([=] {
    cudaHostUnregister(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaHostUnregister' unpins host memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  cudaStreamEndCapture(s, g);
}

// One job at a time in a member, a batch that is swapped out, and jobs that
// contain more than the callable.
class Slot {
public:
  Slot() : t_(&Slot::run, this) {}
  void set(std::function<void()> f) { next_ = std::move(f); }

private:
  void run() {
    for (;;)
      if (next_)
        next_();
  }
  std::function<void()> next_;
  std::thread t_;
};
struct Job {
  std::function<void(int)> call;
  int number;
};
class Batches {
public:
  Batches() : t_([this] { run(); }) {}
  void add(std::function<void(int)> f) { jobs_.push_back(Job{std::move(f), 1}); }
  void addShared(std::shared_ptr<std::packaged_task<void()>> t) {
    shared_.push_back(t);
  }

private:
  void run() {
    for (;;) {
      std::vector<Job> mine;
      {
        std::lock_guard<std::mutex> lock(m_);
        std::swap(mine, jobs_);
      }
      for (auto &j : mine)
        j.call(j.number);
      if (!shared_.empty()) {
        auto task = shared_.front();
        (*task)();
      }
    }
  }
  std::mutex m_;
  std::vector<Job> jobs_;
  std::vector<std::shared_ptr<std::packaged_task<void()>>> shared_;
  std::thread t_;
};
void others(Slot &slot, Batches &batches, float *x, cudaStream_t s,
            cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  slot.set([x] {
    cudaFree(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  batches.add([x](int) {
    cudaFree(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  });
  batches.addShared(std::make_shared<std::packaged_task<void()>>([x] {
    cudaFree(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode, in this thread, and invalidates the capture of the other thread (901) [cudagraph-concurrent-work]
  }));
  cudaStreamEndCapture(s, g);
}
