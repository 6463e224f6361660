// A list of listeners is notified after each change. Each listener captures the
// graph again: no path skips the loop over the listeners.

// RUN: %check %s cudagraph-host-logic --real-std

#include <cuda_runtime.h>
#include <functional>
#include <vector>

__global__ void k(int *p, int n);
using Rules = std::vector<int>;
using Listener = std::function<void(const Rules &)>;

class Repository {
public:
  void onChange(Listener l) { listeners.push_back(std::move(l)); }
  void add(int rule) {
    rules.push_back(rule);
    for (const auto &l : listeners)
      l(rules);
  }
  void addSilently(int rule) { rules.push_back(rule); }
  const Rules &all() const { return rules; }

private:
  Rules rules;
  std::vector<Listener> listeners;
};

template <bool Told> struct Service {
  cudaStream_t s;
  int *p;
  cudaGraphExec_t exec = nullptr;
  Service() {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&p, 4);
  }
  void reload(const Rules &rules) {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    for (int rule : rules)
      // CHECK-MESSAGES: :[[@LINE-1]]:19: warning: 'Repository::addSilently' sets a value that the branch depends on, while the graph exists; replays repeat the branch taken at capture [cudagraph-host-logic]
      k<<<1, 1, 0, s>>>(p, rule);
    if (cudaStreamEndCapture(s, &g))
      return;
    if (exec)
      cudaGraphExecDestroy(exec);
    cudaGraphInstantiate(&exec, g, 0);
  }
  void decide() {
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
  }
};

void told() {
  Service<true> v;
  Repository r;
  r.add(1);
  v.reload(r.all());
  r.onChange([&v](const Rules &now) { v.reload(now); });
  v.decide();
  r.add(2);
  v.decide();
}
void not_told() {
  Service<false> v;
  Repository r;
  r.add(1);
  v.reload(r.all());
  v.decide();
  r.addSilently(2);
  v.decide();
}
