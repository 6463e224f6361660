// Worker process for multi-adapter (LoRA style) inference.
//
// Requests are grouped by adapter, padded to a bucket and run through a graph
// that is recorded once per (adapter, bucket).
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#define SRV_CHECK(expr)                                                      \
  do {                                                                       \
    cudaError_t srv_err = (expr);                                            \
    if (srv_err != cudaSuccess) {                                            \
      std::printf("%d: %s\nLABEL WRONG\n", __LINE__,                         \
                  cudaGetErrorString(srv_err));                              \
      std::exit(1);                                                          \
    }                                                                        \
  } while (0)

namespace serving {

constexpr int kHidden = 64;
constexpr int kMaxBatch = 4;
constexpr int kAdapterSlots = 2;

__global__ void LoraDown(const float* x, const float* a, float* h) {
  __shared__ float part[kHidden];
  const int row = blockIdx.x;
  part[threadIdx.x] = x[row * kHidden + threadIdx.x] * a[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.f;
    for (int k = 0; k < kHidden; ++k) sum += part[k];
    h[row] = sum;
  }
}

__global__ void LoraUp(const float* x, const float* w, const float* b,
                       const float* h, float* y) {
  const int row = blockIdx.x;
  const int col = threadIdx.x;
  y[row * kHidden + col] = x[row * kHidden + col] * w[col] + h[row] * b[col];
}

struct Request {
  int adapter = 0;
  float seed = 0.f;
  std::vector<float> result;
};

struct AdapterWeights {
  std::vector<float> down, up;
};

// Checkpoint reader. The synthetic variant fabricates small integers.
class AdapterStore {
 public:
  const AdapterWeights& Load(int id) {
    auto it = loaded_.find(id);
    if (it != loaded_.end()) return it->second;
    AdapterWeights w;
    for (int k = 0; k < kHidden; ++k) {
      w.down.push_back(static_cast<float>(id + k % 3));
      w.up.push_back(static_cast<float>(2 * id + k % 2));
    }
    return loaded_.emplace(id, std::move(w)).first->second;
  }

 private:
  std::unordered_map<int, AdapterWeights> loaded_;
};

struct AdapterSlot {
  int id = -1;
  float *down = nullptr, *up = nullptr;
  unsigned long tick = 0;
};

class AdapterCache {
 public:
  explicit AdapterCache(AdapterStore* store) : store_(store) {
    const size_t bytes = 2 * kHidden * kAdapterSlots * sizeof(float);
    SRV_CHECK(cudaMalloc(&slab_, bytes));
    for (int i = 0; i < kAdapterSlots; ++i) {
      slots_[i].down = slab_ + 2 * kHidden * i;
      slots_[i].up = slots_[i].down + kHidden;
    }
  }
  ~AdapterCache() { cudaFree(slab_); }

  // Listeners run on the serving thread, before the slot is rewritten.
  void OnEvict(std::function<void(int)> fn) { listeners_.push_back(fn); }

  const AdapterSlot& Acquire(int id, cudaStream_t stream) {
    auto hit = index_.find(id);
    if (hit != index_.end()) {
      slots_[hit->second].tick = ++clock_;
      return slots_[hit->second];
    }
    int victim = 0;
    for (int i = 1; i < kAdapterSlots; ++i)
      if (slots_[i].tick < slots_[victim].tick) victim = i;
    AdapterSlot& slot = slots_[victim];
    if (slot.id >= 0) {
      index_.erase(slot.id);
      for (auto& fn : listeners_) fn(slot.id);
      ++evictions_;
    }
    Upload(slot, id, stream);
    index_[id] = victim;
    return slot;
  }

  int evictions() const { return evictions_; }

 private:
  void Upload(AdapterSlot& slot, int id, cudaStream_t stream) {
    const AdapterWeights& w = store_->Load(id);
    const size_t bytes = kHidden * sizeof(float);
    SRV_CHECK(cudaMemcpyAsync(slot.down, w.down.data(), bytes,
                              cudaMemcpyHostToDevice, stream));
    SRV_CHECK(cudaMemcpyAsync(slot.up, w.up.data(), bytes,
                              cudaMemcpyHostToDevice, stream));
    slot.id = id;
    slot.tick = ++clock_;
  }

  AdapterStore* store_;
  float* slab_ = nullptr;
  AdapterSlot slots_[kAdapterSlots];
  std::unordered_map<int, int> index_;
  std::vector<std::function<void(int)>> listeners_;
  unsigned long clock_ = 0;
  int evictions_ = 0;
};

class Session {
 public:
  explicit Session(AdapterCache* cache) : cache_(cache) {
    const size_t io = kMaxBatch * kHidden * sizeof(float);
    SRV_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    SRV_CHECK(cudaMallocHost(&x_host_, io));
    SRV_CHECK(cudaMallocHost(&y_host_, io));
    SRV_CHECK(cudaMalloc(&x_dev_, io));
    SRV_CHECK(cudaMalloc(&y_dev_, io));
    SRV_CHECK(cudaMalloc(&h_dev_, kMaxBatch * sizeof(float)));
    SRV_CHECK(cudaMalloc(&base_, kHidden * sizeof(float)));
    std::vector<float> base(kHidden);
    for (int k = 0; k < kHidden; ++k) base[k] = static_cast<float>(1 + k % 4);
    SRV_CHECK(cudaMemcpy(base_, base.data(), kHidden * sizeof(float),
                         cudaMemcpyHostToDevice));
    cache_->OnEvict([this](int adapter) { DropGraphs(adapter); });
  }

  ~Session() {
    for (auto& [key, exec] : graphs_) cudaGraphExecDestroy(exec);
    for (float* p : {x_host_, y_host_}) cudaFreeHost(p);
    for (float* p : {x_dev_, y_dev_, h_dev_, base_}) cudaFree(p);
    cudaStreamDestroy(stream_);
  }

  void RunBatch(const std::vector<Request*>& batch) {
    const int n = batch.size();
    const int bucket = n <= 1 ? 1 : (n <= 2 ? 2 : 4);
    const AdapterSlot& slot = cache_->Acquire(batch[0]->adapter, stream_);
    for (int r = 0; r < bucket; ++r) {
      for (int k = 0; k < kHidden; ++k)
        x_host_[r * kHidden + k] = r < n ? batch[r]->seed + k % 2 : 0.f;
    }
    SRV_CHECK(cudaGraphLaunch(GraphFor(slot, bucket), stream_));
    SRV_CHECK(cudaStreamSynchronize(stream_));
    for (int r = 0; r < n; ++r) {
      const float* row = y_host_ + r * kHidden;
      batch[r]->result.assign(row, row + kHidden);
    }
  }

  size_t graph_count() const { return graphs_.size(); }
  int dropped() const { return dropped_; }

 private:
  using GraphKey = std::pair<int, int>;

  void DropGraphs(int adapter) {
    for (auto it = graphs_.lower_bound({adapter, 0});
         it != graphs_.end() && it->first.first == adapter;) {
      SRV_CHECK(cudaGraphExecDestroy(it->second));
      it = graphs_.erase(it);
      ++dropped_;
    }
  }

  cudaGraphExec_t GraphFor(const AdapterSlot& slot, int bucket) {
    const GraphKey key{slot.id, bucket};
    auto it = graphs_.find(key);
    if (it != graphs_.end()) return it->second;
    return graphs_.emplace(key, Record(slot, bucket)).first->second;
  }

  cudaGraphExec_t Record(const AdapterSlot& slot, int bucket) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    const auto mode = cudaStreamCaptureModeThreadLocal;
    SRV_CHECK(cudaStreamBeginCapture(stream_, mode));
    Enqueue(slot, bucket);
    SRV_CHECK(cudaStreamEndCapture(stream_, &graph));
    SRV_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    SRV_CHECK(cudaGraphDestroy(graph));
    return exec;
  }

  void Enqueue(const AdapterSlot& slot, int bucket) {
    const size_t io = bucket * kHidden * sizeof(float);
    SRV_CHECK(cudaMemcpyAsync(x_dev_, x_host_, io, cudaMemcpyHostToDevice,
                              stream_));
    LoraDown<<<bucket, kHidden, 0, stream_>>>(x_dev_, slot.down, h_dev_);
    LoraUp<<<bucket, kHidden, 0, stream_>>>(x_dev_, base_, slot.up, h_dev_, y_dev_);
    SRV_CHECK(cudaMemcpyAsync(y_host_, y_dev_, io, cudaMemcpyDeviceToHost,
                              stream_));
  }

  AdapterCache* cache_;
  cudaStream_t stream_ = nullptr;
  float *x_host_ = nullptr, *y_host_ = nullptr;
  float *x_dev_ = nullptr, *y_dev_ = nullptr, *h_dev_ = nullptr;
  float* base_ = nullptr;
  std::map<GraphKey, cudaGraphExec_t> graphs_;
  int dropped_ = 0;
};

class Batcher {
 public:
  explicit Batcher(Session* session) : session_(session) {}
  void Submit(Request* r) { queue_.push_back(r); }
  void Drain() {
    while (!queue_.empty()) {
      std::vector<Request*> batch;
      std::deque<Request*> rest;
      const int adapter = queue_.front()->adapter;
      for (Request* r : queue_) {
        const bool take = r->adapter == adapter && batch.size() < kMaxBatch;
        if (take) batch.push_back(r);
        if (!take) rest.push_back(r);
      }
      queue_.swap(rest);
      session_->RunBatch(batch);
    }
  }

 private:
  Session* session_;
  std::deque<Request*> queue_;
};

bool Matches(const Request& r, AdapterStore* store) {
  const AdapterWeights& w = store->Load(r.adapter);
  float h = 0.f;
  for (int k = 0; k < kHidden; ++k) h += (r.seed + k % 2) * w.down[k];
  for (int k = 0; k < kHidden; ++k) {
    const float want = (r.seed + k % 2) * (1 + k % 4) + h * w.up[k];
    if (r.result.size() != kHidden || r.result[k] != want) return false;
  }
  return true;
}

}  // namespace serving

int main() {
  using namespace serving;
  AdapterStore store;
  AdapterCache cache(&store);
  Session session(&cache);
  Batcher batcher(&session);

  const std::vector<std::vector<int>> waves = {
      {1, 1, 2}, {2, 1, 1}, {3}, {1, 1, 3}, {2, 1, 3, 1}};
  int good = 0, bad = 0;
  for (size_t w = 0; w < waves.size(); ++w) {
    std::vector<Request> reqs(waves[w].size());
    for (size_t i = 0; i < reqs.size(); ++i) {
      reqs[i].adapter = waves[w][i];
      reqs[i].seed = static_cast<float>(1 + (w + i) % 4);
      batcher.Submit(&reqs[i]);
    }
    batcher.Drain();
    for (const Request& r : reqs) {
      Matches(r, &store) ? ++good : ++bad;
    }
  }
  std::printf("good=%d bad=%d evictions=%d graphs=%zu dropped=%d\n", good, bad,
              cache.evictions(), session.graph_count(), session.dropped());
  std::printf(good > 0 && bad == 0 && session.dropped() > 0 ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return 0;
}
