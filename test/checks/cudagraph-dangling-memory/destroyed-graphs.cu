// An executable graph is launched after it has been destroyed.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <memory>
#include <utility>
#include <vector>

__global__ void k(float *x);

class Engine {
public:
  explicit Engine(float *x) : x_(x) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
  }
  ~Engine() { drop(); }
  void build() {
    drop();
    exec_ = capture();
  }
  void drop() {
    if (exec_)
      cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  // The new graph exists before the old one is destroyed.
  void replace() {
    cudaGraphExec_t fresh = capture();
    cudaGraphExec_t old = std::exchange(exec_, fresh);
    cudaGraphExecDestroy(old);
  }
  void run() {
    cudaGraphLaunch(exec_, stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a null handle, because 'Engine::drop' has destroyed the executable graph captured on 'stream_'; CUDA returns cudaErrorInvalidValue (1) [cudagraph-dangling-memory]
  }
  void runChecked() {
    if (!exec_)
      build();
    cudaGraphLaunch(exec_, stream_);
  }
  void runIfThere() {
    if (exec_)
      cudaGraphLaunch(exec_, stream_);
  }
  cudaGraphExec_t handle() const { return exec_; }
  cudaStream_t stream() const { return stream_; }

private:
  cudaGraphExec_t capture() {
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, stream_>>>(x_);
    cudaStreamEndCapture(stream_, &g);
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphDestroy(g);
    return exec;
  }
  float *x_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

void dropped(float *x) {
  Engine e(x);
  e.build();
  e.run();
  e.drop();
  e.run();
}
void built_again(float *x) {
  Engine e(x);
  e.build();
  e.runIfThere();
  e.drop();
  e.runIfThere();
  e.runChecked();
  e.build();
  e.runIfThere();
}

// A copy of the handle.
void copied(float *x) {
  Engine e(x);
  e.build();
  cudaGraphExec_t pinned = e.handle();
  cudaGraphLaunch(pinned, e.stream());
  e.build();
  cudaGraphLaunch(pinned, e.stream());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphLaunch' launches the executable graph captured on 'stream_', which 'Engine::drop' has destroyed; the launch fails, or uses freed memory [cudagraph-dangling-memory]
}
void replaced(float *x) {
  Engine e(x);
  e.build();
  cudaGraphExec_t pinned = e.handle();
  e.replace();
  cudaGraphLaunch(e.handle(), e.stream());
  cudaGraphLaunch(pinned, e.stream());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaGraphLaunch' launches the executable graph captured on 'stream_', which 'Engine::replace' has destroyed; the launch fails, or uses freed memory [cudagraph-dangling-memory]
}
void copied_again(float *x) {
  Engine e(x);
  e.build();
  cudaGraphExec_t current = e.handle();
  cudaGraphLaunch(current, e.stream());
  e.build();
  current = e.handle();
  cudaGraphLaunch(current, e.stream());
}
void in_a_loop(float *x, int n) {
  Engine e(x);
  e.build();
  for (int i = 0; i < n; ++i) {
    if (i % 8 == 0)
      e.replace();
    cudaGraphLaunch(e.handle(), e.stream());
  }
  for (int i = 0; i < n; ++i) {
    e.build();
    cudaGraphLaunch(e.handle(), e.stream());
  }
}

// Another object of the same class.
void others(float *x, float *y) {
  Engine a(x), b(y);
  a.build();
  b.build();
  cudaGraphExec_t of_b = b.handle();
  a.drop();
  b.runIfThere();
  cudaGraphLaunch(of_b, b.stream());
}
void of_a_loop(float *x, int n) {
  std::vector<std::unique_ptr<Engine>> all;
  for (int i = 0; i < n; ++i) {
    all.push_back(std::make_unique<Engine>(x));
    all.back()->build();
  }
  cudaGraphExec_t last = all.back()->handle();
  all.front()->drop();
  cudaGraphLaunch(last, all.back()->stream());
}

// The analysis does not relate the two conditions.
bool flag();
void perhaps(float *x) {
  Engine e(x);
  e.build();
  cudaGraphExec_t pinned = e.handle();
  bool again = flag();
  if (again)
    e.build();
  if (!again)
    cudaGraphLaunch(pinned, e.stream());
}

// The last of the shared owners destroys the graph.
struct Handle {
  cudaGraphExec_t exec;
  explicit Handle(cudaGraphExec_t e) : exec(e) {}
  Handle(const Handle &) = delete;
  ~Handle() { cudaGraphExecDestroy(exec); }
};
class Shared {
public:
  explicit Shared(cudaStream_t s, float *x) : s_(s), graph_(capture(x)) {}
  void again(float *x) { graph_ = capture(x); }
  std::shared_ptr<Handle> graph() const { return graph_; }

private:
  std::shared_ptr<Handle> capture(float *x) {
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(x);
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec, g, 0);
    return std::make_shared<Handle>(exec);
  }
  cudaStream_t s_;
  std::shared_ptr<Handle> graph_;
};
void shared(cudaStream_t s, float *x, float *y) {
  Shared all(s, x);
  std::shared_ptr<Handle> first = all.graph();
  all.again(y);
  cudaGraphLaunch(first->exec, s);
  cudaGraphLaunch(all.graph()->exec, s);
}
