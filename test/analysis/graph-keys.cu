// The value from which the key of a table of graphs is computed selects the
// graph to launch, so it is not frozen.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-host-logic,cudagraph-dynamic-shape

#include <map>
#include <memory>
#include <tuple>
#include <utility>

__global__ void k(float *x, int n);
#define CHECK(X) do { if ((X) != cudaSuccess) __builtin_trap(); } while (0)

struct Settings {
  int levels = 3;
  int unasked = 1;
};
using Key = std::tuple<const char *, int, int>;
class Table {
public:
  template <class Record>
  cudaGraphExec_t find(const Key &key, cudaStream_t s, Record &&record) {
    cudaGraphExec_t &slot = graphs_[key];
    if (!slot) {
      cudaGraph_t g = nullptr;
      CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
      std::forward<Record>(record)(s);
      CHECK(cudaStreamEndCapture(s, &g));
      CHECK(cudaGraphInstantiate(&slot, g, 0));
    }
    return slot;
  }

private:
  std::map<Key, cudaGraphExec_t> graphs_;
};
class Effect {
public:
  Effect(int width, const Settings &settings) : width_(width), settings_(settings) {}
  void render(Table &table, cudaStream_t s) const {
    const auto key = Key{"effect", width_, settings_.levels};
    auto exec = table.find(key, s, [&](cudaStream_t c) { record(c); });
    CHECK(cudaGraphLaunch(exec, s));
  }

private:
  void record(cudaStream_t s) const {
    for (int l = 1; l < settings_.levels; ++l)
      k<<<1, 1, 0, s>>>(x_, l);
    k<<<1, 1, 0, s>>>(x_, settings_.unasked);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'settings_.unasked' of kernel 'k'
  }
  int width_;
  const Settings &settings_;
  float *x_ = nullptr;
};
int main() {
  cudaStream_t s;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  Settings settings;
  Table table;
  Effect effect(64, settings);
  for (int levels : {3, 3, 5, 2}) {
    settings.levels = levels;
    settings.unasked = levels;
    effect.render(table, s);
    CHECK(cudaStreamSynchronize(s));
  }
}
