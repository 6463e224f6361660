// gpu_plan_cache: small header-style cache of instantiated graphs keyed by problem size, with a client program.
#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// ------------------------------------------------------------------ plan_cache.hpp
namespace plan {

class error : public std::runtime_error {
 public:
  error(cudaError_t e, const char* op) : std::runtime_error(std::string(op) + ": " + cudaGetErrorString(e)) {}
};
inline void expect(cudaError_t e, const char* op) {
  if (e != cudaSuccess) throw error(e, op);
}

template <class F>
class scope_exit {
 public:
  explicit scope_exit(F f) : f_(std::move(f)) {}
  ~scope_exit() { f_(); }
  scope_exit(const scope_exit&) = delete;

 private:
  F f_;
};

template <class Record>
cudaGraphExec_t record_graph(cudaStream_t stream, Record&& record) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  bool open = false;
  scope_exit drop([&] {
    if (open) cudaStreamEndCapture(stream, &graph);  // the body threw
    if (graph) cudaGraphDestroy(graph);
  });
  expect(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
  open = true;
  std::forward<Record>(record)(stream);
  open = false;
  expect(cudaStreamEndCapture(stream, &graph), "end capture");
  expect(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  return exec;
}

struct Key {
  const void* data = nullptr;
  int n = 0;
  bool operator==(const Key& o) const { return data == o.data && n == o.n; }
};

// Least recently used entry is replaced when the table is full.
template <std::size_t Capacity>
class lru_cache {
 public:
  struct Plan {
    Key key;
    cudaGraphExec_t exec = nullptr;
    uint64_t stamp = 0;
    void launch(cudaStream_t s) const { expect(cudaGraphLaunch(exec, s), "launch"); }
  };
  using handle = const Plan*;

  ~lru_cache() {
    for (Plan& p : plans_)
      if (p.exec) cudaGraphExecDestroy(p.exec);
  }

  template <class Record>
  handle get(const Key& key, cudaStream_t stream, Record&& record) {
    Plan* victim = &plans_[0];
    for (Plan& p : plans_) {
      if (p.exec && p.key == key) {
        p.stamp = ++clock_;
        ++hits;
        return &p;
      }
      if (p.stamp < victim->stamp) victim = &p;
    }
    ++misses;
    if (victim->exec) {
      expect(cudaStreamSynchronize(stream), "drain before eviction");
      expect(cudaGraphExecDestroy(victim->exec), "evict");  // HAZARD lifetime #evict
      victim->exec = nullptr;
    }
    victim->exec = record_graph(stream, std::forward<Record>(record));
    victim->key = key;
    victim->stamp = ++clock_;
    return victim;
  }

  int hits = 0, misses = 0;

 private:
  std::array<Plan, Capacity> plans_{};
  uint64_t clock_ = 0;
};

}  // namespace plan

// ------------------------------------------------------------------ client program
__global__ void fill(float* p, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = v;
}
__global__ void accumulate(float* p, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += v;
}

using Cache = plan::lru_cache<2>;

class Channel {
 public:
  Channel(Cache& cache, cudaStream_t stream, int n) : stream_(stream), n_(n) {
    plan::expect(cudaMalloc(&data_, n * sizeof(float)), "channel buffer");
    fill<<<blocks(), 128, 0, stream_>>>(data_, n_, 0.f);
    plan::expect(cudaGetLastError(), "fill");
    plan_ = cache.get({data_, n_}, stream_, [this](cudaStream_t s) {
      accumulate<<<blocks(), 128, 0, s>>>(data_, n_, 1.f);
      accumulate<<<blocks(), 128, 0, s>>>(data_, n_, 0.5f);
    });
  }
  ~Channel() { cudaFree(data_); }
  Channel(const Channel&) = delete;

  void tick() const { plan_->launch(stream_); }  // HAZARD lifetime #evict

  bool equals(float want) const {
    std::vector<float> host(n_);
    plan::expect(cudaMemcpyAsync(host.data(), data_, n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_), "read");
    plan::expect(cudaStreamSynchronize(stream_), "read");
    for (float v : host)
      if (v != want) return false;
    return true;
  }

 private:
  unsigned blocks() const { return (n_ + 127) / 128; }
  cudaStream_t stream_;
  int n_;
  float* data_ = nullptr;
  Cache::handle plan_;
};

int main() {
  int wrong = 0;
  bool failed = false;
  try {
    cudaStream_t stream;
    plan::expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    plan::scope_exit close([&] { cudaStreamDestroy(stream); });
    Cache cache;
    std::vector<std::unique_ptr<Channel>> channels;
    for (int n : {200, 1000, 5000}) channels.push_back(std::make_unique<Channel>(cache, stream, n));
    for (int round = 1; round <= 4; ++round) {
      for (auto& c : channels) c->tick();
      for (auto& c : channels) wrong += !c->equals(1.5f * round);
    }
    std::printf("cache: %d hits, %d misses; %d wrong channel states\n", cache.hits, cache.misses, wrong);
  } catch (const std::exception& e) {
    std::printf("failed: %s\n", e.what());
    failed = true;
  }
  std::puts(!failed && wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
