// A function that changes a value and empties the owner of the graph, perhaps under a
// condition, leaves no graph with the old value.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <memory>
#include <optional>
#include <vector>

__global__ void norm(float *x, int n);

struct Exec {
  cudaGraphExec_t h = nullptr;
  explicit Exec(cudaGraph_t g) { cudaGraphInstantiateWithFlags(&h, g, 0); }
  Exec(Exec &&o) noexcept : h(o.h) { o.h = nullptr; }
  Exec &operator=(Exec &&o) noexcept {
    std::swap(h, o.h);
    return *this;
  }
  ~Exec() {
    if (h)
      cudaGraphExecDestroy(h);
  }
};

class Optional {
public:
  void deposit(int n) {
    count_ += n;
    if (n)
      reduction_.reset();
  }
  void assign(int n) {
    count_ += n;
    reduction_ = std::nullopt;
  }
  void mean() {
    if (!reduction_)
      compile();
    cudaGraphLaunch(reduction_->h, s_);
  }

private:
  void compile() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    norm<<<1, 1, 0, s_>>>(x_, count_);
    cudaStreamEndCapture(s_, &g);
    reduction_.emplace(g);
    cudaGraphDestroy(g);
  }
  int count_ = 0;
  float *x_;
  cudaStream_t s_;
  std::optional<Exec> reduction_;
};

class Pointer {
public:
  void deposit(int n) {
    count_ += n;
    if (n)
      reduction_.reset();
  }
  void assign(int n) {
    count_ += n;
    reduction_ = nullptr;
  }
  void clear(int n) {
    count_ += n;
    all_.clear();
  }
  void mean() {
    if (!reduction_)
      compile();
    cudaGraphLaunch(reduction_->h, s_);
    if (all_.empty())
      fill();
    cudaGraphLaunch(all_[0].h, s_);
  }

private:
  void compile() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    norm<<<1, 1, 0, s_>>>(x_, count_);
    cudaStreamEndCapture(s_, &g);
    reduction_ = std::make_unique<Exec>(g);
    cudaGraphDestroy(g);
  }
  void fill() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    norm<<<1, 1, 0, s_>>>(x_, 1);
    cudaStreamEndCapture(s_, &g);
    all_.emplace_back(g);
    cudaGraphDestroy(g);
  }
  int count_ = 0;
  float *x_;
  cudaStream_t s_;
  std::unique_ptr<Exec> reduction_;
  std::vector<Exec> all_;
};

// The function empties a different object.
class Other {
public:
  void deposit(int n) {
    count_ += n;
    note_.reset();
  }
  void mean() {
    if (!reduction_)
      compile();
    cudaGraphLaunch(reduction_->h, s_);
  }

private:
  void compile() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    norm<<<1, 1, 0, s_>>>(x_, count_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'count_' of kernel 'norm' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamEndCapture(s_, &g);
    reduction_.emplace(g);
    cudaGraphDestroy(g);
  }
  int count_ = 0;
  float *x_;
  cudaStream_t s_;
  std::optional<int> note_;
  std::optional<Exec> reduction_;
};

// The destruction of one object does not affect the other one, which changes.
struct Session {
  Exec exec;
  cudaStream_t s;
  float *x;
  int count = 1;
  Session(cudaGraph_t g) : exec(g) {}
  void record() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    norm<<<1, 1, 0, s>>>(x, count);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'count' of kernel 'norm' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamEndCapture(s, &g);
    exec = Exec(g);
    cudaGraphDestroy(g);
  }
  void run() {
    if (!exec.h)
      record();
    cudaGraphLaunch(exec.h, s);
  }
};

void retire(Session &other, Session *old) {
  delete old;
  other.count *= 2;
}

void all(Optional &o, Pointer &p, Other &q) {
  for (int i = 0; i < 3; ++i) {
    o.deposit(i);
    o.assign(i);
    o.mean();
    p.deposit(i);
    p.assign(i);
    p.clear(i);
    p.mean();
    q.deposit(i);
    q.mean();
  }
}
