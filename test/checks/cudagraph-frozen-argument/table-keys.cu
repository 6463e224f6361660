// A graph that is found by a key in a table is the graph for the values in the
// key. All other values are frozen in each graph.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std

#include <array>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

__global__ void k(float *x, int n, float by);

template <class Key> class Table {
public:
  explicit Table(cudaStream_t s) : s_(s) {}
  template <class Body> void run(const Key &key, Body &&body) {
    auto it = graphs_.find(key);
    if (it == graphs_.end()) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
      std::forward<Body>(body)(s_);
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      cudaGraphDestroy(graph);
      it = graphs_.emplace(key, exec).first;
    }
    cudaGraphLaunch(it->second, s_);
  }

private:
  cudaStream_t s_;
  std::map<Key, cudaGraphExec_t> graphs_;
};

struct Request {
  int slot, length;
};

// The length is not part of the key.
void bySlot(cudaStream_t s, float *x, const std::vector<Request> &all) {
  Table<int> table(s);
  for (const Request each : all)
    table.run(each.slot, [&](cudaStream_t c) {
      k<<<each.length, 1, 0, c>>>(x, 1, 1.f);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'k' is computed from
    });
}
// The same with operator[], and with two lookups.
void byIndex(cudaStream_t s, float *x, const std::vector<Request> &all) {
  std::map<int, cudaGraphExec_t> graphs;
  for (const Request each : all) {
    cudaGraphExec_t &exec = graphs[each.slot];
    if (!exec) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      k<<<each.length, 1, 0, s>>>(x, 1, 1.f);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'k' is computed from 'length'
      k<<<each.slot, 1, 0, s>>>(x, 1, 1.f);
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
    }
    cudaGraphLaunch(exec, s);
  }
}
void byCount(cudaStream_t s, float *x, const std::vector<Request> &all) {
  std::unordered_map<int, cudaGraphExec_t> graphs;
  for (const Request each : all) {
    if (!graphs.count(each.slot)) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      k<<<each.length, 1, 0, s>>>(x, 1, 1.f);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'k' is computed from 'length'
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      graphs.emplace(each.slot, exec);
    }
    cudaGraphLaunch(graphs.find(each.slot)->second, s);
  }
}
void byBoth(cudaStream_t s, float *x, const std::vector<Request> &all) {
  std::map<std::pair<int, int>, cudaGraphExec_t> graphs;
  for (const Request each : all) {
    cudaGraphExec_t &exec = graphs[{each.slot, each.length}];
    if (!exec) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      k<<<each.length, 1, 0, s>>>(x, 1, 1.f);
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
    }
    cudaGraphLaunch(exec, s);
  }
}
void bySlotAndLength(cudaStream_t s, float *x,
                     const std::vector<Request> &all) {
  Table<std::tuple<int, int>> table(s);
  for (const Request each : all)
    table.run({each.slot, each.length}, [&](cudaStream_t c) {
      k<<<each.length, 1, 0, c>>>(x, 1, 1.f);
    });
}
// Values derived from the same source as the key are selected with it.
void byText(cudaStream_t s, float *x, const std::vector<Request> &all) {
  Table<std::string> table(s);
  for (const Request each : all) {
    std::string key = "slot";
    key += std::to_string(each.slot);
    key.append(std::to_string(each.length));
    int blocks = (each.length + 31) / 32;
    table.run(key, [&](cudaStream_t c) { k<<<blocks, 32, 0, c>>>(x, 1, 1.f); });
  }
}
static int bucketOf(int n) {
  int bucket = 32;
  while (bucket < n)
    bucket *= 2;
  return bucket;
}
void byBucket(cudaStream_t s, float *x, const std::vector<Request> &all) {
  Table<int> table(s);
  for (const Request each : all) {
    int bucket = bucketOf(each.length);
    table.run(bucket,
              [&](cudaStream_t c) { k<<<bucket, 32, 0, c>>>(x, 1, 1.f); });
  }
}
void fading(cudaStream_t s, float *x, const std::vector<Request> &all) {
  Table<int> table(s);
  float by = 1;
  for (const Request each : all) {
    by = by * .5f;
    table.run(each.slot, [&](cudaStream_t c) {
      k<<<1, 1, 0, c>>>(x, 1, by);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'by' of kernel 'k' has a different value when the graph is launched; the replay will use the value from the capture [cudagraph-frozen-argument]
    });
  }
}

// The table is an array, and the key is an index.
void elements(cudaStream_t s, float *x, const std::vector<Request> &all) {
  std::array<cudaGraphExec_t, 8> graphs{};
  for (const Request each : all) {
    int index = each.slot % 8;
    cudaGraphExec_t &exec = graphs[index];
    int n = each.length * 2;
    if (!exec) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      k<<<1, 1, 0, s>>>(x + index, 1, 1.f);
      k<<<1, 1, 0, s>>>(x, n, 1.f);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'n' of kernel 'k' has a different value when the graph is launched; the replay will use the value from the capture [cudagraph-frozen-argument]
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
    }
    cudaGraphLaunch(exec, s);
  }
}

// A key's entry is the one that was stored last.
struct Parameters {
  struct Slot {
    float value = 0;
    float *device = nullptr;
  };
  std::map<std::string, Slot> slots;
  std::map<std::string, float> values;
  void set(const std::string &name, float value, cudaStream_t s) {
    auto [it, fresh] = slots.try_emplace(name);
    if (fresh)
      cudaMalloc(&it->second.device, sizeof(float));
    it->second.value = value;
    cudaMemcpyAsync(it->second.device, &it->second.value, sizeof(float),
                    cudaMemcpyHostToDevice, s);
    values.insert_or_assign(name, value);
  }
  float value(const std::string &name) const {
    auto it = values.find(name);
    return it == values.end() ? 0 : it->second;
  }
};
void named(cudaStream_t s) {
  Parameters all;
  cudaGraphExec_t exec = nullptr;
  for (float by : {1.f, 2.f}) {
    all.set("by", by, s);
    if (!exec) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      k<<<1, 1, 0, s>>>(nullptr, 1, all.value("by"));
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'all.value("by")' of kernel 'k' is set by 'Parameters::set' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
    }
    cudaGraphLaunch(exec, s);
  }
}

// Lambdas store the graph in the element.
void byBothInLambda(cudaStream_t s, float *x, const std::vector<Request> &all) {
  std::map<std::pair<int, int>, cudaGraphExec_t> graphs;
  for (const Request each : all) {
    cudaGraphExec_t &exec = graphs[{each.slot, each.length}];
    if (!exec) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      k<<<each.length, 1, 0, s>>>(x, 1, 1.f);
      [&] {
        cudaStreamEndCapture(s, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
      }();
    }
    cudaGraphLaunch(exec, s);
  }
}
void bySlotInLambda(cudaStream_t s, float *x, const std::vector<Request> &all) {
  std::map<int, cudaGraphExec_t> graphs;
  for (const Request each : all) {
    cudaGraphExec_t &exec = graphs[each.slot];
    if (!exec) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      k<<<each.length, 1, 0, s>>>(x, 1, 1.f);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'k' is computed from 'length'
      [&] {
        cudaStreamEndCapture(s, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
      }();
    }
    cudaGraphLaunch(exec, s);
  }
}
