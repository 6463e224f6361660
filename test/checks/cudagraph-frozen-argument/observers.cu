// A loop over a container of callables calls each of them: if one of them drops
// the graph, the others change no values that a graph uses.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <functional>
#include <memory>
#include <utility>
#include <vector>

__global__ void k(float *x, float rate);
struct ExecDeleter {
  void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using ExecHandle = std::unique_ptr<CUgraphExec_st, ExecDeleter>;

struct Bus {
  std::vector<std::function<void(int)>> observers;
  void subscribe(std::function<void(int)> f) {
    observers.push_back(std::move(f));
  }
  void publish(int tick) {
    for (auto &each : observers)
      each(tick);
  }
};

class Market {
public:
  explicit Market(Bus &bus) {
    bus.subscribe([this](int tick) { rate_ = tick; });
  }
  float rate() const { return rate_; }

private:
  float rate_ = 0;
};

// The pricer is not notified of the change.
class Deaf {
public:
  Deaf(Market &market, Bus &bus) : market_(market) {
    cudaStreamCreate(&s_);
    bus.subscribe([this](int tick) { ++ticks_; });
  }
  void price() {
    if (!exec_)
      record();
    cudaGraphLaunch(exec_.get(), s_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(nullptr, market_.rate());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'market_.rate()' of kernel 'k' is set by a lambda in 'Market::Market' while the graph exists
    cudaStreamEndCapture(s_, &graph);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    exec_.reset(exec);
  }
  Market &market_;
  cudaStream_t s_;
  ExecHandle exec_;
  int ticks_ = 0;
};

class Listening {
public:
  Listening(Market &market, Bus &bus) : market_(market) {
    cudaStreamCreate(&s_);
    bus.subscribe([this](int tick) { onTick(tick); });
  }
  void price() {
    if (!exec_)
      record();
    cudaGraphLaunch(exec_.get(), s_);
  }

private:
  void onTick(int tick) {
    if (tick > 3)
      exec_.reset();
  }
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 1, 0, s_>>>(nullptr, market_.rate());
    cudaStreamEndCapture(s_, &graph);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    exec_.reset(exec);
  }
  Market &market_;
  cudaStream_t s_;
  ExecHandle exec_;
};

template <class Pricer> void use() {
  Bus bus;
  Market market(bus);
  Pricer pricer(market, bus);
  pricer.price();
  bus.publish(4);
  pricer.price();
}
int main() {
  use<Deaf>();
  use<Listening>();
}
