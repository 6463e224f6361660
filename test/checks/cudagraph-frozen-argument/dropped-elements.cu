// A setter may remove the graphs from a container: the next launch captures
// again.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <map>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

__global__ void k(float *x, float by);

struct Destroy {
  void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using ExecPointer =
    std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, Destroy>;

class Exec {
public:
  explicit Exec(cudaGraphExec_t e) : e_(e) {}
  Exec(Exec &&o) : e_(o.e_) { o.e_ = nullptr; }
  ~Exec() {
    if (e_)
      cudaGraphExecDestroy(e_);
  }
  void launch(cudaStream_t s) { cudaGraphLaunch(e_, s); }

private:
  cudaGraphExec_t e_;
};

template <class F> cudaGraphExec_t record(cudaStream_t s, F f) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  f();
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  return exec;
}

class Cleared {
public:
  void set(float v) {
    by_ = v;
    execs_.clear();
  }
  void step(int n) {
    ExecPointer &e = execs_[n];
    if (!e)
      e.reset(record(s_, [&] { k<<<1, 1, 0, s_>>>(x_, by_); }));
    cudaGraphLaunch(e.get(), s_);
  }

private:
  std::unordered_map<int, ExecPointer> execs_;
  float by_;
  float *x_;
  cudaStream_t s_;
};

class OfObjects {
public:
  void set(float v) {
    by_ = v;
    execs_.pop_back();
  }
  void step() {
    if (execs_.empty())
      execs_.emplace_back(record(s_, [&] { k<<<1, 1, 0, s_>>>(x_, by_); }));
    execs_.front().launch(s_);
  }

private:
  std::vector<Exec> execs_;
  float by_;
  float *x_;
  cudaStream_t s_;
};

class Assigned {
public:
  void set(float v) {
    by_ = v;
    execs_ = std::map<int, ExecPointer>();
  }
  void step(int n) {
    ExecPointer &e = execs_[n];
    if (!e)
      e.reset(record(s_, [&] { k<<<1, 1, 0, s_>>>(x_, by_); }));
    cudaGraphLaunch(e.get(), s_);
  }

private:
  std::map<int, ExecPointer> execs_;
  float by_;
  float *x_;
  cudaStream_t s_;
};

// The element owns the graph through a member, and its destructor is implicit.
class Within {
public:
  void set(float v) {
    by_ = v;
    entries_.erase(0);
  }
  void step(int n) {
    auto &e = entries_[n];
    if (!e)
      e = std::make_shared<Entry>(
          Entry{Exec(record(s_, [&] { k<<<1, 1, 0, s_>>>(x_, by_); }))});
    e->exec.launch(s_);
  }

private:
  struct Entry {
    Exec exec;
  };
  std::map<int, std::shared_ptr<Entry>> entries_;
  float by_;
  float *x_;
  cudaStream_t s_;
};

// A different container is cleared.
class Other {
public:
  void set(float v) {
    by_ = v;
    names_.clear();
  }
  void step(int n) {
    ExecPointer &e = execs_[n];
    if (!e)
      e.reset(record(s_, [&] { k<<<1, 1, 0, s_>>>(x_, by_); }));
    // CHECK-MESSAGES: :[[@LINE-1]]:32: warning: argument 'by_' of kernel 'k' is set by 'Other::set' while the graph exists
    cudaGraphLaunch(e.get(), s_);
  }

private:
  std::vector<int> names_;
  std::unordered_map<int, ExecPointer> execs_;
  float by_;
  float *x_;
  cudaStream_t s_;
};

// The whole program is visible.
class Seen {
public:
  void set(float v, bool drop) {
    by_ = v;
    if (drop)
      execs_.clear();
  }
  void step(int n) {
    ExecPointer &e = execs_[n];
    if (!e)
      e.reset(record(s_, [&] { k<<<1, 1, 0, s_>>>(x_, by_); }));
    cudaGraphLaunch(e.get(), s_);
  }

private:
  std::unordered_map<int, ExecPointer> execs_;
  float by_;
  float *x_;
  cudaStream_t s_;
};
int main() {
  Seen o;
  o.set(1.f, true);
  o.step(1);
  o.set(2.f, true);
  o.step(1);
}
