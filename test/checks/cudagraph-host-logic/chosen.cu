// The function that enqueues the work, or the launched kernel, is selected
// once, at capture: by an object's class, a callable, or a table.

// RUN: %check %s cudagraph-host-logic

#include <array>
#include <functional>
#include <memory>

__global__ void relu(float *x);
__global__ void gelu(float *x);

struct Activation {
  virtual ~Activation() = default;
  virtual void enqueue(cudaStream_t s, float *x) const = 0;
};
struct Relu : Activation {
  void enqueue(cudaStream_t s, float *x) const override {
    relu<<<1, 1, 0, s>>>(x);
  }
};
struct Gelu : Activation {
  void enqueue(cudaStream_t s, float *x) const override {
    gelu<<<1, 1, 0, s>>>(x);
  }
};
static void doRelu(cudaStream_t s, float *x) { relu<<<1, 1, 0, s>>>(x); }
static void doGelu(cudaStream_t s, float *x) { gelu<<<1, 1, 0, s>>>(x); }
using Enqueue = void (*)(cudaStream_t, float *);
using Kernel = void (*)(float *);

struct Replayed {
  cudaStream_t s = nullptr;
  float *x = nullptr;
  cudaGraphExec_t exec = nullptr;
  template <class Work> void replay(Work &&work) {
    if (!exec) {
      cudaGraph_t g;
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
        return;
      work();
      if (cudaStreamEndCapture(s, &g) || cudaGraphInstantiate(&exec, g, 0))
        return;
      cudaGraphDestroy(g);
    }
    cudaGraphLaunch(exec, s);
  }
};

struct ByOwner : Replayed {
  std::unique_ptr<Activation> act = std::make_unique<Relu>();
  void set(std::unique_ptr<Activation> a) { act = std::move(a); }
  void run() {
    replay([this] { act->enqueue(s, x); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'ByOwner::set' sets a value that the called function depends on, while the graph exists; replays repeat the choice made at capture
  }
};

struct ByPointer : Replayed {
  Relu r;
  Gelu g;
  const Activation *act = &r;
  void set(bool smooth) {
    act = smooth ? static_cast<const Activation *>(&g) : &r;
  }
  void run() {
    replay([this] { act->enqueue(s, x); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'ByPointer::set' sets a value that the called function depends on
  }
};

struct ByAccessor : Replayed {
  Relu r;
  Gelu g;
  int width = 0;
  void set(int w) { width = w; }
  const Activation &pick() const {
    if (width > 4)
      return r;
    return g;
  }
  void run() {
    replay([this] { pick().enqueue(s, x); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'ByAccessor::set' sets a value that the called function depends on
  }
};

struct ByCallable : Replayed {
  std::function<void(cudaStream_t, float *)> act;
  void set(std::function<void(cudaStream_t, float *)> a) { act = std::move(a); }
  void run() {
    replay([this] { act(s, x); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'ByCallable::set' sets a value that the called function depends on
  }
};

struct ByFunction : Replayed {
  Enqueue act = doRelu;
  void set(bool smooth) { act = smooth ? doGelu : doRelu; }
  void run() {
    replay([this] { act(s, x); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'ByFunction::set' sets a value that the called function depends on
  }
};

static const Enqueue enqueues[] = {doRelu, doGelu};
struct ByTable : Replayed {
  int mode = 0;
  void set(int m) { mode = m; }
  void run() {
    replay([this] { enqueues[mode](s, x); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'ByTable::set' sets a value that the called function depends on
  }
};

constexpr std::array<Kernel, 2> kernels = {relu, gelu};
struct ByKernelTable : Replayed {
  int mode = 0;
  void set(int m) { mode = m; }
  void run() {
    replay([this] { kernels[mode]<<<1, 1, 0, s>>>(x); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'ByKernelTable::set' sets a value that the launched kernel depends on
  }
};

struct ByKernel : Replayed {
  Kernel k = relu;
  void set(bool smooth) { k = smooth ? gelu : relu; }
  void run() {
    replay([this] { k<<<1, 1, 0, s>>>(x); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'ByKernel::set' sets a value that the launched kernel depends on
  }
};

struct ByAddress : Replayed {
  const void *k = reinterpret_cast<const void *>(relu);
  void set(const void *other) { k = other; }
  void run() {
    replay([this] {
      void *args[] = {&x};
      cudaLaunchKernel(k, 1, 1, args, 0, s);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'ByAddress::set' sets a value that the launched kernel depends on
    });
  }
};

// Legal: the function is selected before the capture and never again.
struct ChosenOnce : Replayed {
  const std::unique_ptr<Activation> act;
  Enqueue then;
  explicit ChosenOnce(bool smooth)
      : act(smooth ? std::unique_ptr<Activation>(new Gelu)
                   : std::unique_ptr<Activation>(new Relu)),
        then(smooth ? doGelu : doRelu) {}
  void run() {
    replay([this] {
      act->enqueue(s, x);
      then(s, x);
    });
  }
};

// Legal: the code that selects destroys the graph.
struct Dropped : Replayed {
  std::unique_ptr<Activation> act = std::make_unique<Relu>();
  void set(std::unique_ptr<Activation> a) {
    act = std::move(a);
    if (exec)
      cudaGraphExecDestroy(exec);
    exec = nullptr;
  }
  void run() {
    replay([this] { act->enqueue(s, x); });
  }
};

// Legal: the selection is compared with the one at the capture.
struct Compared {
  Relu r;
  Gelu g;
  const Activation *recorded = nullptr;
  int width = 0;
  cudaStream_t s;
  float *x;
  cudaGraphExec_t exec = nullptr;
  void set(int w) { width = w; }
  int limit() const { return width; }
  const Activation &pick() const {
    if (limit() > 4)
      return r;
    return g;
  }
  void record() {
    if (exec)
      cudaGraphExecDestroy(exec);
    cudaGraph_t graph;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    const Activation &now = pick();
    now.enqueue(s, x);
    if (cudaStreamEndCapture(s, &graph) ||
        cudaGraphInstantiate(&exec, graph, 0))
      return;
    recorded = &now;
  }
  void run() {
    if (&pick() != recorded)
      record();
    cudaGraphLaunch(exec, s);
  }
};

// Legal: one graph per entry of the table.
struct OneForEach {
  int mode = 0;
  cudaStream_t s;
  float *x;
  cudaGraphExec_t execs[2] = {};
  void set(int m) { mode = m; }
  void run() {
    if (!execs[mode]) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
        return;
      enqueues[mode](s, x);
      if (cudaStreamEndCapture(s, &graph) ||
          cudaGraphInstantiate(&execs[mode], graph, 0))
        return;
    }
    cudaGraphLaunch(execs[mode], s);
  }
};

// Legal: every entry of the table is called.
static const Enqueue passes[] = {doRelu, doGelu, nullptr};
struct EachInTurn : Replayed {
  void run() {
    replay([this] {
      for (int i = 0; passes[i]; ++i)
        passes[i](s, x);
    });
  }
};
