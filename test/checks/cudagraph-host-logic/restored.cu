// A region that toggles a member an even number of times restores it. A region
// that records an entire script has a graph with all steps of the script.
//
// RUN: %check %s cudagraph-host-logic

#include <cuda_runtime.h>
#include <memory>
#include <utility>
#include <vector>

__global__ void relax(const float *from, float *to);
__global__ void add(float *p, int value);

// One node of the syntax tree represents all calls in a fold expression.
template <int Steps> class Integrator {
public:
  void compile(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    unroll(std::make_integer_sequence<int, Steps>{});
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void advance(cudaStream_t s) { cudaGraphLaunch(exec_, s); }

  void step() {
    relax<<<1, 32, 0, s_>>>(page_[now_], page_[now_ ^ 1]);
    now_ ^= 1;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'now_' changes during the capture of 's' (blocking, global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
  }

private:
  template <int... K> void unroll(std::integer_sequence<int, K...>) {
    ((static_cast<void>(K), step()), ...);
  }
  int now_ = 0;
  cudaStream_t s_;
  float *page_[2];
  cudaGraphExec_t exec_ = nullptr;
};

void odd(cudaStream_t s) {
  Integrator<3> integrator;
  integrator.compile(s);
  integrator.advance(s);
  integrator.advance(s);
}

// The same in a separate class, so that findings have different lines.
template <int Steps> class Even {
public:
  void compile(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    unroll(std::make_integer_sequence<int, Steps>{});
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void advance(cudaStream_t s) { cudaGraphLaunch(exec_, s); }

private:
  void step() {
    relax<<<1, 32, 0, s_>>>(page_[now_], page_[now_ ^ 1]);
    now_ ^= 1;
  }
  template <int... K> void unroll(std::integer_sequence<int, K...>) {
    ((static_cast<void>(K), step()), ...);
  }
  int now_ = 0;
  cudaStream_t s_;
  float *page_[2];
  cudaGraphExec_t exec_ = nullptr;
};

void even(cudaStream_t s) {
  Even<4> integrator;
  integrator.compile(s);
  integrator.advance(s);
  integrator.advance(s);
}

// A loop that counts to a bound and calls std::swap.
class Plate {
public:
  void solve(int n) {
    if (!exec_)
      record();
    for (int i = 0; i < n; ++i)
      cudaGraphLaunch(exec_, s_);
  }

private:
  static constexpr int Batch = 10;
  void step() {
    relax<<<1, 32, 0, s_>>>(now_, next_);
    std::swap(now_, next_);
  }
  void record() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    for (int i = 0; i < Batch; ++i)
      step();
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  cudaStream_t s_;
  float *now_, *next_;
  cudaGraphExec_t exec_ = nullptr;
};

// A loop over several systems calls each of them once per iteration.
struct System {
  virtual ~System() = default;
  virtual void update(cudaStream_t s) = 0;
};
struct Store {
  float *page[2];
  int front = 0;
  void present() { front ^= 1; }
};
struct Motion final : System {
  explicit Motion(Store &store) : store(store) {}
  void update(cudaStream_t s) override {
    relax<<<1, 32, 0, s>>>(store.page[store.front], store.page[store.front ^ 1]);
    store.present();
  }
  Store &store;
};
struct Drag final : System {
  explicit Drag(Store &store) : store(store) {}
  void update(cudaStream_t s) override {
    relax<<<1, 32, 0, s>>>(store.page[0], store.page[1]);
  }
  Store &store;
};
class FrameGraph {
public:
  explicit FrameGraph(int substeps) : substeps_(substeps) {}
  void add(std::unique_ptr<System> s) { systems_.push_back(std::move(s)); }
  void bake(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    for (int k = 0; k < substeps_; ++k)
      for (auto &each : systems_)
        each->update(s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void tick(cudaStream_t s) { cudaGraphLaunch(exec_, s); }

private:
  const int substeps_;
  std::vector<std::unique_ptr<System>> systems_;
  cudaGraphExec_t exec_ = nullptr;
};

// The graph contains the entire script.
class Script {
public:
  void enqueue(int value) { script_.push_back(value); }
  void whole(cudaStream_t s, float *p) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    while (!script_.empty()) {
      add<<<1, 32, 0, s>>>(p, script_.back());
      script_.pop_back();
    }
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  // Each launch was supposed to perform the next step.
  void one(cudaStream_t s, float *p) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 32, 0, s>>>(p, script_.back());
    script_.pop_back();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::pop_back' changes the container on which it is called during the capture of 's' (global mode)
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }

private:
  std::vector<int> script_;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  odd(s);
  even(s);
  Plate plate;
  plate.solve(3);
  Store store;
  FrameGraph graph(2);
  graph.add(std::make_unique<Motion>(store));
  graph.add(std::make_unique<Drag>(store));
  graph.bake(s);
  graph.tick(s);
  graph.tick(s);
}
