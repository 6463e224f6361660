// Jobs of other threads that do not affect a capture, and callables that no
// other thread calls: no findings.

// RUN: %check %s cudagraph-*,-cudagraph-ignored-result

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

__global__ void k(float *x);

class Worker {
public:
  Worker() : thread_([this] { loop(); }) {}
  ~Worker() {
    stop_ = true;
    thread_.join();
  }
  template <class F> auto post(F f) {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(
        std::move(f));
    auto result = task->get_future();
    {
      std::lock_guard<std::mutex> lock(m_);
      jobs_.emplace_back([task] { (*task)(); });
    }
    cv_.notify_one();
    return result;
  }

private:
  void loop() {
    std::unique_lock<std::mutex> lock(m_);
    while (!stop_) {
      cv_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }
  std::mutex m_;
  std::condition_variable cv_;
  std::deque<std::function<void()>> jobs_;
  bool stop_ = false;
  std::thread thread_;
};

// The capture restricts only its own thread. The work of the job on a separate
// stream is not intended for the graph.
void thread_local_mode(Worker &w, float *x, float *y, cudaStream_t copy,
                       cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  float *p = nullptr;
  w.post([&] {
     cudaMalloc(&p, 4);
     cudaMemcpyAsync(p, y, 4, cudaMemcpyHostToDevice, copy);
     cudaStreamSynchronize(copy);
   }).get();
  k<<<1, 1, 0, s>>>(p);
  cudaStreamEndCapture(s, g);
}

// The job runs before or after the capture.
void not_in_the_capture(Worker &w, float *x, void *old, cudaStream_t s,
                        cudaGraph_t *g) {
  w.post([old] { cudaFreeHost(old); }).get();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  w.post([old] { cudaFreeHost(old); }).get();
}

// The job declares that its call is intentional.
void relaxed_job(Worker &w, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  w.post([] {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    void *p;
    cudaMalloc(&p, 4);
    cudaThreadExchangeStreamCaptureMode(&mode);
  });
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

// The job captures, and its posted work waits until it is done.
class Server {
public:
  void serve() {
    w_.post([this] { capture(); }).get();
  }

private:
  void capture() {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s_>>>(x_);
    w_.post([this] { cudaFreeHost(old_); });
    cudaStreamEndCapture(s_, &g_);
  }
  Worker w_;
  cudaStream_t s_;
  cudaGraph_t g_;
  float *x_;
  void *old_;
};
void serve(Server &s) { s.serve(); }

// The capturing thread itself empties the queue later; the object's thread only
// adds to it.
class Completions {
public:
  Completions() : thread_([this] { add([] {}); }) {}
  void add(std::function<void()> f) { done_.push_back(std::move(f)); }
  void drain() {
    for (auto &f : done_)
      f();
    done_.clear();
  }

private:
  std::vector<std::function<void()>> done_;
  std::thread thread_;
};
void drained_later(Completions &c, float *x, void *old, cudaStream_t s,
                   cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  c.add([old] { cudaFreeHost(old); });
  cudaStreamEndCapture(s, g);
  c.drain();
}

// Listeners that no thread calls.
class Source {
public:
  Source() : thread_([this] {
    std::function<void()> next = std::move(next_);
    next();
  }) {}
  void listen(std::function<void()> f) { listeners_.push_back(std::move(f)); }

private:
  std::function<void()> next_;
  std::vector<std::function<void()>> listeners_;
  std::thread thread_;
};
void listening(Source &source, float *x, void *old, cudaStream_t s,
               cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  source.listen([old] { cudaFreeHost(old); });
  cudaStreamEndCapture(s, g);
}

// One thread executes both the captures and the queue.
class Later {
public:
  void add(std::function<void()> f) { all_.push_back(std::move(f)); }
  void drain() {
    for (auto &f : all_)
      f();
  }

private:
  std::vector<std::function<void()>> all_;
};
class Engine {
public:
  void run() {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s_>>>(x_);
    later_.add([this] { cudaFreeHost(old_); });
    cudaStreamEndCapture(s_, &g_);
    later_.drain();
  }

private:
  Later &later_;
  void *old_;
  cudaStream_t s_;
  cudaGraph_t g_;
  float *x_;
};
void everything(Engine &e) {
  std::thread t([&] { e.run(); });
  t.join();
}

// Work that the first call passes on is not part of the graph.
class Prefetch {
public:
  float *get() {
    if (!open_) {
      w_.post([this] {
         cudaMemcpyAsync(x_, h_, 4, cudaMemcpyHostToDevice, copy_);
       }).get();
      open_ = true;
    }
    return x_;
  }

private:
  Worker w_;
  cudaStream_t copy_;
  float *x_, *h_;
  bool open_ = false;
};
void first_call(Prefetch &p, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(p.get());
  cudaStreamEndCapture(s, g);
}
