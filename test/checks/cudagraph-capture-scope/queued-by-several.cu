// A thread executes jobs that several objects post. It is unknown which object a job
// uses, so its stream may be the one that captures.

// RUN: %check %s cudagraph-capture-scope,cudagraph-default-stream --real-std
// REQUIRES: gxx

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

__global__ void touch(int *data);

class Worker {
public:
  Worker() : thread_([this] { loop(); }) {}
  void call(std::function<void()> job) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    ready_.notify_one();
  }

private:
  void loop() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      ready_.wait(lock, [this] { return !jobs_.empty(); });
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> jobs_;
  std::thread thread_;
};

class Session {
public:
  explicit Session(Worker &worker) : worker_(worker) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&data_, sizeof(int));
  }
  void open() {
    worker_.call([this] { begin(); });
  }
  void work() {
    worker_.call([this] { touch<<<1, 1, 0, stream_>>>(data_); });
  }
  void close() {
    worker_.call([this] { end(); });
  }
  void local() {
    begin();
    touch<<<1, 1, 0, stream_>>>(data_);
    end();
  }

private:
  void begin() {
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
  }
  void end() {
    cudaGraph_t graph;
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }

  Worker &worker_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  int *data_ = nullptr;
};

// The stream of a captured launch is known here.
void unrelated(cudaStream_t stream, cudaStream_t other, int *data) {
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  touch<<<1, 1, 0, other>>>(data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'touch' is launched on stream 'other', which is not part of the capture of 'stream'
  cudaStreamEndCapture(stream, &graph);
  cudaGraphDestroy(graph);
}

int main() {
  Worker worker;
  Session remote(worker), local(worker);
  local.local();
  remote.open();
  remote.work();
  remote.close();
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  unrelated(stream, stream, nullptr);
}
