// A container of device addresses grows: its elements move, but the buffers to
// which they point do not.

// RUN: %check %s cudagraph-growing-workspace,cudagraph-frozen-argument --real-std

#include <list>
#include <memory>
#include <vector>

__global__ void kernel(float *p);

class Runner {
public:
  void add(size_t bytes) {
    float *p = nullptr;
    cudaMalloc(&p, bytes);
    buffers_.push_back(p);
  }
  void run() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
      kernel<<<1, 32, 0, stream_>>>(buffers_[0]);
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  std::vector<float *> buffers_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// After the container grows, its last element is a different one.
class Last {
public:
  void add(float *p) {
    buffers_.push_back(p);
  }
  void run() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
      kernel<<<1, 32, 0, stream_>>>(buffers_.back());
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the address 'buffers_.back()' of kernel 'kernel' is set by 'Last::add' while the graph exists
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  std::vector<float *> buffers_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// A pool: the deleter of an owner returns its buffer, and the next owner
// receives it while the graph still writes to it.
class Pool {
public:
  std::shared_ptr<float> acquire() {
    float *p = free_.back();
    free_.pop_back();
    return std::shared_ptr<float>(p, [this](float *b) {
      free_.push_back(b);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: a lambda in 'Pool::acquire' frees and reallocates 'free_'
    });
  }

private:
  std::vector<float *> free_;
};

struct Session {
  std::shared_ptr<float> owned;
};

class Evicting {
public:
  void run() {
    if (sessions_.size() > 2)
      sessions_.pop_back();
    sessions_.push_front(Session{pool_.acquire()});
    Session &s = sessions_.front();
    if (!exec_)
      record(s);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void record(const Session &s) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    kernel<<<1, 32, 0, stream_>>>(s.owned.get());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 's.owned.get()' of kernel 'kernel' is set by 'Pool::acquire' while the graph exists
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  Pool pool_;
  std::list<Session> sessions_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// The graph is captured again if the buffer is a different one.
class KeyedPool {
public:
  std::shared_ptr<float> acquire() {
    float *p = free_.back();
    free_.pop_back();
    return std::shared_ptr<float>(p, [this](float *b) {
      free_.push_back(b);
    });
  }

private:
  std::vector<float *> free_;
};

struct KeyedSession {
  std::shared_ptr<float> owned;
};

class Keyed {
public:
  void run() {
    if (sessions_.size() > 2)
      sessions_.pop_back();
    sessions_.push_front(KeyedSession{pool_.acquire()});
    KeyedSession &s = sessions_.front();
    if (!exec_ || kept_ != s.owned)
      record(s);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void record(const KeyedSession &s) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    kernel<<<1, 32, 0, stream_>>>(s.owned.get());
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    kept_ = s.owned;
  }
  KeyedPool pool_;
  std::list<KeyedSession> sessions_;
  std::shared_ptr<float> kept_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// The owner is a member, and keeps its buffer as long as it exists.
class LeasePool {
public:
  std::shared_ptr<float> acquire() {
    float *p = free_.back();
    free_.pop_back();
    return std::shared_ptr<float>(p, [this](float *b) {
      free_.push_back(b);
    });
  }

private:
  std::vector<float *> free_;
};

class Blur {
public:
  void prepare(LeasePool &pool) {
    if (!rows_)
      rows_ = pool.acquire();
  }
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    kernel<<<1, 32, 0, stream_>>>(rows_.get());
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  std::shared_ptr<float> rows_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

void leases() {
  LeasePool pool;
  Blur blur;
  blur.prepare(pool);
  blur.record();
  for (int i = 0; i < 3; ++i) {
    std::shared_ptr<float> other = pool.acquire();
    blur.run();
  }
}
