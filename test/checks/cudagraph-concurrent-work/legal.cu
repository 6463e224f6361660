// Threads that do not affect a capture: no findings.

// RUN: %check %s cudagraph-concurrent-work,cudagraph-capture-scope

#include <future>
#include <pthread.h>
#include <thread>
#include <vector>

__global__ void k(float *x);

// The thread has ended before the capture begins, or starts after it.
void joined_before(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::thread t([x]() mutable { cudaMalloc(&x, 4); });
  t.join();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  std::thread later([x]() mutable { cudaMalloc(&x, 4); });
  later.join();
}
void all_joined_before(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  std::vector<std::thread> all, more;
  for (int i = 0; i < n; ++i)
    all.emplace_back([x]() mutable { cudaMalloc(&x, 4); });
  for (int i = 0; i < n; ++i)
    more.push_back(std::thread([x]() mutable { cudaMalloc(&x, 4); }));
  for (auto &t : all)
    t.join();
  for (int i = 0; i < n; ++i)
    more[i].join();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, g);
}
struct Joining {
  std::thread thread;
  ~Joining() {
    if (thread.joinable())
      thread.join();
  }
};
void scoped(float *x, cudaStream_t s, cudaGraph_t *g) {
  { Joining j{std::thread([x]() mutable { cudaMalloc(&x, 4); })}; }
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, g);
}
class Loader {
public:
  void start() { thread_ = std::thread(&Loader::run, this); }
  void stop() {
    if (thread_.joinable())
      thread_.join();
  }

private:
  void run() { cudaMalloc(&buffer_, 4); }
  std::thread thread_;
  void *buffer_;
};
void stopped(Loader &l, cudaStream_t s, cudaGraph_t *g) {
  l.start();
  l.stop();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, g);
}
void future(float *x, cudaStream_t s, cudaGraph_t *g) {
  auto f = std::async(std::launch::async, [x]() mutable { cudaMalloc(&x, 4); });
  f.get();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, g);
}
void *routine(void *x) {
  cudaFree(x);
  return x;
}
void posix(void *x, cudaStream_t s, cudaGraph_t *g) {
  pthread_t t;
  pthread_create(&t, nullptr, routine, x);
  pthread_join(t, nullptr);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, g);
}

// A thread-local or relaxed capture does not restrict other threads.
void thread_local_mode(float *x, cudaGraph_t *g) {
  std::thread t([x]() mutable {
    cudaMalloc(&x, 4);
    cudaMemset(x, 0, 4);
    cudaFree(x);
  });
  cudaStream_t mine;
  cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);
  cudaStreamBeginCapture(mine, cudaStreamCaptureModeThreadLocal);
  k<<<1, 1, 0, mine>>>(x);
  cudaStreamEndCapture(mine, g);
  t.join();
}
void relaxed_mode(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::thread t([x]() mutable { cudaMalloc(&x, 4); });
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamEndCapture(s, g);
  t.join();
}

// The thread declares that its call is intentional.
void relaxed_thread(float *x, cudaStream_t s, cudaGraph_t *g) {
  std::thread t([x]() mutable {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    cudaMalloc(&x, 4);
    cudaThreadExchangeStreamCaptureMode(&mode);
  });
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  t.join();
}

// Work on separate streams, and host work.
void own_work(float *x, cudaGraph_t *g) {
  cudaStream_t s, other;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  int sum = 0;
  std::thread t([&] {
    for (int i = 0; i < 100; ++i)
      sum += i;
    k<<<1, 1, 0, other>>>(x);
    cudaMemcpyAsync(x, x, 4, cudaMemcpyDeviceToDevice, other);
    k<<<1, 1>>>(x);
  });
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
  t.join();
}

// One thread for each capture.
void capture_in_each(float *x, int n, cudaStream_t *s, cudaGraph_t *g) {
  std::vector<std::thread> all;
  for (int i = 0; i < n; ++i)
    all.emplace_back([=] {
      cudaStreamBeginCapture(s[i], cudaStreamCaptureModeThreadLocal);
      k<<<1, 1, 0, s[i]>>>(x);
      cudaStreamEndCapture(s[i], g + i);
    });
  for (auto &t : all)
    t.join();
}

// In relaxed mode, any thread may end and thereby complete the capture.
void ended_by_a_thread(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  std::thread t([&] {
    k<<<1, 1, 0, s>>>(x);
    cudaStreamEndCapture(s, g);
    cudaStreamSynchronize(s);
  });
  t.join();
  cudaDeviceSynchronize();
}

// A work queue whose thread is in other code.
struct Queue {
  void push(void (*f)(void *), void *arg);
};
void queued(Queue &q, void *x, cudaStream_t s, cudaGraph_t *g) {
  q.push([](void *p) { cudaFree(p); }, x);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, g);
}
