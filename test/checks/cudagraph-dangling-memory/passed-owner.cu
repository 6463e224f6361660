// Owners that are passed by value: the callee destroys them, not the caller.

// RUN: %check %s cudagraph-dangling-memory --real-std
// RUN: %check %s cudagraph-dangling-memory --real-std --std=c++14

#include <memory>
#include <utility>

__global__ void k(float *x);

struct Gate {
  virtual ~Gate() = default;
  virtual void enqueue(cudaStream_t s) const = 0;
};
template <int> struct Limit final : Gate {
  float *memory = nullptr;
  Limit() { cudaMalloc(&memory, 4); }
  ~Limit() override { cudaFree(memory); }
  void enqueue(cudaStream_t s) const override {
    k<<<1, 1, 0, s>>>(memory);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' uses 'memory', which 'Limit::~Limit' frees; every replay will use freed memory
  }
};
inline cudaGraphExec_t capture(const Gate &gate, cudaStream_t s) {
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  gate.enqueue(s);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphDestroy(g);
  return e;
}

// The service keeps the gate. A destructor's body runs before those of members.
template <int I> struct Fixed final : Gate {
  float *memory = nullptr;
  Fixed() { cudaMalloc(&memory, 4); }
  ~Fixed() override { cudaFree(memory); }
  void enqueue(cudaStream_t s) const override { k<<<1, 1, 0, s>>>(memory); }
};
struct Service {
  Service(std::unique_ptr<Gate> g, cudaStream_t s)
      : gate(std::move(g)), stream(s), exec(capture(*gate, s)) {}
  ~Service() { cudaGraphExecDestroy(exec); }
  void run() { cudaGraphLaunch(exec, stream); }
  std::unique_ptr<Gate> gate;
  cudaStream_t stream;
  cudaGraphExec_t exec;
};
void made_in_the_call(cudaStream_t s) {
  Service v(std::make_unique<Fixed<0>>(), s);
  v.run();
}
void of_the_base_class(cudaStream_t s) {
  Service v(std::unique_ptr<Gate>(new Fixed<1>), s);
  v.run();
}
void moved(cudaStream_t s) {
  auto gate = std::make_unique<Fixed<2>>();
  Service v(std::move(gate), s);
  v.run();
}
struct Late {
  void take(std::unique_ptr<Gate> &&g, cudaStream_t s) {
    gate = std::move(g);
    exec = capture(*gate, s);
  }
  std::unique_ptr<Gate> gate;
  cudaGraphExec_t exec;
};
void by_reference(cudaStream_t s) {
  Late v;
  v.take(std::make_unique<Fixed<3>>(), s);
  cudaGraphLaunch(v.exec, s);
  cudaGraphExecDestroy(v.exec);
}
void released(std::unique_ptr<Gate> g, cudaStream_t s) {
  Gate *kept = g.release();
  cudaGraphExec_t e = capture(*kept, s);
  cudaGraphLaunch(e, s);
  cudaGraphExecDestroy(e);
  delete kept;
}
void passed_and_released(cudaStream_t s) { released(std::make_unique<Fixed<4>>(), s); }

// The lifetime of the parameter ends with the callee.
cudaGraphExec_t dropped(std::unique_ptr<Gate> g, cudaStream_t s) { return capture(*g, s); }
void passed_and_dropped(cudaStream_t s) {
  cudaGraphExec_t e = dropped(std::make_unique<Limit<0>>(), s);
  cudaGraphLaunch(e, s);
}

// There is no return statement, or not every path reaches one.
cudaGraphExec_t exec;
template <int> struct Bound final : Gate {
  float *memory = nullptr;
  Bound() { cudaMalloc(&memory, 4); }
  ~Bound() override { cudaFree(memory); }
  void enqueue(cudaStream_t s) const override {
    k<<<1, 1, 0, s>>>(memory);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' uses 'memory', which 'Bound::~Bound' frees; every replay will use freed memory
  }
};
void at_the_end(std::unique_ptr<Gate> g, cudaStream_t s) { exec = capture(*g, s); }
void passed_to_the_end(cudaStream_t s) {
  at_the_end(std::make_unique<Bound<0>>(), s);
  cudaGraphLaunch(exec, s);
}
template <int> struct Edge final : Gate {
  float *memory = nullptr;
  Edge() { cudaMalloc(&memory, 4); }
  ~Edge() override { cudaFree(memory); }
  void enqueue(cudaStream_t s) const override {
    k<<<1, 1, 0, s>>>(memory);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' uses 'memory', which 'Edge::~Edge' frees; every replay will use freed memory
  }
};
void after_a_branch(std::unique_ptr<Gate> g, cudaStream_t s, bool twice) {
  exec = capture(*g, s);
  if (twice)
    cudaGraphLaunch(exec, s);
}
void passed_to_a_branch(cudaStream_t s, bool twice) {
  after_a_branch(std::make_unique<Edge<0>>(), s, twice);
  cudaGraphLaunch(exec, s);
}

// The callee first passes the owner on.
std::unique_ptr<Gate> kept;
void keep(std::unique_ptr<Gate> g, cudaStream_t s, bool twice) {
  kept = std::move(g);
  exec = capture(*kept, s);
  if (twice)
    cudaGraphLaunch(exec, s);
}
void passed_and_kept(cudaStream_t s, bool twice) {
  keep(std::make_unique<Fixed<5>>(), s, twice);
  cudaGraphLaunch(exec, s);
}
