// The condition for a new capture may be computed: by a predicate that checks
// each use, as a sum over the stages, or by the caller.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std

#include <memory>
#include <vector>

__global__ void k(float *x, int n);

// Each use stores the version of its buffer.
struct Buffer {
  float *data = nullptr;
  int count = 0;
  unsigned version = 0;
};
template <bool Counts> class Buffers {
public:
  void add(float *p, int n) {
    Buffer b;
    b.data = p;
    b.count = n;
    all_.push_back(b);
  }
  void grow(int i, float *p, int n) {
    Buffer &b = all_.at(i);
    if (n <= b.count)
      return;
    b.data = p;
    b.count = n;
    if (Counts)
      ++b.version;
  }
  float *data(int i) { return all_.at(i).data; }
  unsigned version(int i) { return all_.at(i).version; }

private:
  std::vector<Buffer> all_;
};
struct Use {
  int buffer;
  unsigned recorded;
};
template <bool Counts> class Bundle {
public:
  Bundle(Buffers<Counts> &b, cudaStream_t s) : buffers(b), s(s) {}
  void use(int i) { uses.push_back({i, 0}); }
  void replay() {
    if (stale())
      record();
    cudaGraphLaunch(exec, s);
  }

private:
  bool stale() {
    if (!exec)
      return true;
    for (auto &u : uses)
      if (buffers.version(u.buffer) != u.recorded)
        return true;
    return false;
  }
  void record() {
    reset();
    cudaGraph_t g = nullptr;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    for (auto &u : uses) {
      k<<<1, 1, 0, s>>>(buffers.data(u.buffer), 1);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the address 'buffers.data(u.buffer)' of kernel 'k' is set by 'Buffers::grow' while the graph exists
      u.recorded = buffers.version(u.buffer);
    }
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphDestroy(g);
  }
  void reset() {
    if (!exec)
      return;
    cudaGraphExecDestroy(exec);
    exec = nullptr;
  }
  Buffers<Counts> &buffers;
  cudaStream_t s;
  std::vector<Use> uses;
  cudaGraphExec_t exec = nullptr;
};
template <bool Counts>
void scene(cudaStream_t s, float *a, float *b, float *c) {
  Buffers<Counts> buffers;
  Bundle<Counts> bundle(buffers, s);
  buffers.add(a, 10);
  bundle.use(0);
  bundle.replay();
  buffers.grow(0, b, 20);
  buffers.add(c, 10);
  bundle.replay();
}
template void scene<true>(cudaStream_t, float *, float *, float *);
template void scene<false>(cudaStream_t, float *, float *, float *);

// The versions of all stages are summed.
class Stage {
public:
  virtual ~Stage() = default;
  virtual void enqueue(float *x, cudaStream_t s) = 0;
  virtual unsigned version() const { return 0; }
};
class Counted : public Stage {
public:
  void enqueue(float *x, cudaStream_t s) override { k<<<1, 1, 0, s>>>(x, n_); }
  void changed(int n) {
    n_ = n;
    ++version_;
  }
  unsigned version() const override { return version_; }

private:
  int n_ = 0;
  unsigned version_ = 0;
};
class Silent : public Stage {
public:
  void enqueue(float *x, cudaStream_t s) override {
    k<<<1, 1, 0, s>>>(x, n_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'n_' of kernel 'k' is set by 'Silent::changed' while the graph exists
  }
  void changed(int n) { n_ = n; }

private:
  int n_ = 0;
};
class Chain {
public:
  explicit Chain(float *x) : x(x) {}
  void run(cudaStream_t s) {
    const unsigned wanted = version();
    if (!exec || wanted != built) {
      if (exec)
        cudaGraphExecDestroy(exec);
      cudaGraph_t g = nullptr;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      for (auto &stage : stages)
        stage->enqueue(x, s);
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&exec, g, 0);
      built = wanted;
    }
    cudaGraphLaunch(exec, s);
  }
  std::vector<std::shared_ptr<Stage>> stages;

private:
  unsigned version() const {
    unsigned sum = 0;
    for (const auto &stage : stages)
      sum += stage->version();
    return sum;
  }
  float *const x;
  cudaGraphExec_t exec = nullptr;
  unsigned built = 0;
};

// The caller passes the number for which the graph is built.
template <bool Asks> struct Replayed {
  void operator()(const int &size, int wanted, cudaStream_t s) {
    if constexpr (Asks) {
      if (!exec || wanted != captured)
        record(size, wanted, s);
    } else if (!exec) {
      record(size, wanted, s);
    }
    cudaGraphLaunch(exec, s);
  }
  void record(const int &size, int wanted, cudaStream_t s) {
    if (exec)
      cudaGraphExecDestroy(exec);
    cudaGraph_t g = nullptr;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    k<<<size, 1, 0, s>>>(x, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'k' is computed from a value that 'resize' sets while the graph exists
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec, g, 0);
    captured = wanted;
  }
  float *x;
  cudaGraphExec_t exec = nullptr;
  int captured = 0;
};
struct Array {
  int size = 0;
};
template <bool Asks> void resize(Array &a, int n) { a.size = n; }
template <bool Asks> void batches(float *x, const std::vector<int> &totals, cudaStream_t s) {
  Array a;
  Replayed<Asks> drift{x};
  for (int total : totals) {
    resize<Asks>(a, total);
    drift(a.size, total, s);
  }
}
template void batches<true>(float *, const std::vector<int> &, cudaStream_t);
template void batches<false>(float *, const std::vector<int> &, cudaStream_t);
