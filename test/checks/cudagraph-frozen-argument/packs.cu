// Arguments that reach the launch in a tuple, a parameter pack, or an array of
// addresses.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <tuple>
#include <vector>

__global__ void k(float *x, int n, float by);

template <class... Args> void launch(cudaStream_t s, Args... args) {
  void *all[] = {static_cast<void *>(&args)...};
  cudaLaunchKernel(reinterpret_cast<const void *>(k), dim3(1), dim3(1), all, 0, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'all' of 'cudaLaunchKernel' is set by 'Gain::set' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
}
struct Pack {
  std::vector<void *> slots;
  template <class T> void add(T &value) {
    slots.push_back(static_cast<void *>(&value));
  }
};

class Gain {
public:
  void set(float by) { by_ = by * 2; }
  std::tuple<int, float> knobs() const { return {n_, by_}; }
  void record(cudaStream_t s) {
    launch(s, x_, n_, by_);

    Pack pack;
    pack.add(x_);
    pack.add(n_);
    pack.add(by_);
    cudaLaunchKernel(reinterpret_cast<const void *>(k), dim3(1), dim3(1),
                     pack.slots.data(), 0, s);
    // CHECK-MESSAGES: :[[@LINE-2]]:5: warning: argument 'pack.slots.data()' of 'cudaLaunchKernel' is set by 'Gain::set' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]

    auto both = knobs();
    k<<<1, 1, 0, s>>>(x_, std::get<0>(both), std::get<1>(both));
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'std::get<1>(both)' of kernel 'k' is set by 'Gain::set' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    auto [n, by] = knobs();
    k<<<1, 1, 0, s>>>(x_, n, by);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'by' of kernel 'k' is set by 'Gain::set' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    k<<<1, 1, 0, s>>>(x_, n, 1.f);
    int m;
    float tied;
    std::tie(m, tied) = knobs();
    k<<<1, 1, 0, s>>>(x_, m, tied);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'tied' of kernel 'k' is set by 'Gain::set' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    std::apply(
        [&](auto... each) {
          k<<<1, 1, 0, s>>>(x_, each...);
          // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: argument 'each' of kernel 'k' is set by 'Gain::set' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
        },
        knobs());
    k<<<1, 1, 0, s>>>(x_, std::get<0>(std::make_tuple(n_, by_)), 1.f);
  }

private:
  float *x_ = nullptr;
  int n_ = 4;
  float by_ = 1;
};
void run(cudaStream_t s) {
  Gain gain;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  gain.record(s);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (float by : {0.f, 1.f, 2.f}) {
    gain.set(by);
    cudaGraphLaunch(exec, s);
  }
}

// One of two members is set.
class Quotes {
public:
  Quotes(float bid, float ask) : bid_(bid), ask_(ask) {}
  void tick(bool bid, float to) { (bid ? bid_ : ask_) = to; }
  float ask() const { return ask_; }

private:
  float bid_, ask_;
};
class Pricer {
public:
  explicit Pricer(const Quotes &quotes) : quotes_(quotes) {}
  void run(cudaStream_t s) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      k<<<1, 1, 0, s>>>(nullptr, 1, quotes_.ask());
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'quotes_.ask()' of kernel 'k' is set by 'Quotes::tick' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s);
  }

private:
  const Quotes &quotes_;
  cudaGraphExec_t exec_ = nullptr;
};
// A constant that is equal to a member has a different origin.
void price(cudaStream_t s, bool bid) {
  Quotes quotes(1.5f, .25f);
  Pricer pricer(quotes);
  auto verify = [&](float, float) { pricer.run(s); };
  verify(1.5f, .25f);
  quotes.tick(bid, .5f);
  verify(1.5f, .5f);
}
