// embedding_cache: GPU-resident rows of a large embedding table held by a parameter server.
// Lookups of a fixed batch size run as one captured graph: fill the missed rows, gather, count hits.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace hps {

#define HPS_THROW_IF(EXPR)                                                                  \
  do {                                                                                      \
    const cudaError_t hps_rc_ = (EXPR);                                                     \
    if (hps_rc_ != cudaSuccess) {                                                           \
      std::ostringstream os_;                                                               \
      os_ << "HPS runtime error " << cudaGetErrorName(hps_rc_) << " in " << __func__ << ": " #EXPR; \
      throw std::runtime_error(os_.str());                                                  \
    }                                                                                       \
  } while (0)

using Key = int64_t;
constexpr int kDim = 16;
constexpr int kBatch = 64;
constexpr int kSlots = 512;

struct StreamDeleter {
  using pointer = cudaStream_t;
  void operator()(cudaStream_t s) const { cudaStreamDestroy(s); }
};
struct EventDeleter {
  using pointer = cudaEvent_t;
  void operator()(cudaEvent_t e) const { cudaEventDestroy(e); }
};
struct ExecDeleter {
  using pointer = cudaGraphExec_t;
  void operator()(cudaGraphExec_t g) const { cudaGraphExecDestroy(g); }
};
struct DeviceDeleter {
  void operator()(void* p) const { cudaFree(p); }
};
struct PinnedDeleter {
  void operator()(void* p) const { cudaFreeHost(p); }
};

template <typename T>
std::unique_ptr<T[], DeviceDeleter> device_array(size_t n) {
  T* p = nullptr;
  HPS_THROW_IF(cudaMalloc(&p, n * sizeof(T)));
  return std::unique_ptr<T[], DeviceDeleter>(p);
}
template <typename T>
std::unique_ptr<T[], PinnedDeleter> pinned_array(size_t n) {
  T* p = nullptr;
  HPS_THROW_IF(cudaMallocHost(&p, n * sizeof(T)));
  return std::unique_ptr<T[], PinnedDeleter>(p);
}

inline float parameter_server_row(Key key, int d) { return static_cast<float>((key * 31 + d * 7) % 1009); }

// plan: [0, kBatch) slot of each key, [kBatch, 2 kBatch) slot of each miss, [2 kBatch] number of misses.
__global__ void fill_missing(float* cache, const float* rows, const int* plan) {
  const int m = blockIdx.x;
  if (m >= plan[2 * kBatch]) return;
  cache[plan[kBatch + m] * kDim + threadIdx.x] = rows[m * kDim + threadIdx.x];
}

__global__ void gather(const float* cache, const int* plan, float* out) {
  out[blockIdx.x * kDim + threadIdx.x] = cache[plan[blockIdx.x] * kDim + threadIdx.x];
}

__global__ void count_hits(const int* plan, unsigned long long* hits) { *hits += kBatch - plan[2 * kBatch]; }

class EmbeddingCache {
 public:
  EmbeddingCache()
      : cache_(device_array<float>(kSlots * kDim)), d_rows_(device_array<float>(kBatch * kDim)),
        d_out_(device_array<float>(kBatch * kDim)), d_plan_(device_array<int>(2 * kBatch + 1)),
        d_hits_(device_array<unsigned long long>(1)), h_rows_(pinned_array<float>(kBatch * kDim)),
        h_out_(pinned_array<float>(kBatch * kDim)), h_plan_(pinned_array<int>(2 * kBatch + 1)) {
    cudaStream_t s = nullptr;
    HPS_THROW_IF(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    stream_.reset(s);
    HPS_THROW_IF(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    stats_stream_.reset(s);
    cudaEvent_t e = nullptr;
    HPS_THROW_IF(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    plan_ready_.reset(e);
    HPS_THROW_IF(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    stats_done_.reset(e);
    HPS_THROW_IF(cudaMemset(d_hits_.get(), 0, sizeof(unsigned long long)));
    HPS_THROW_IF(cudaMemset(d_plan_.get(), 0, (2 * kBatch + 1) * sizeof(int)));
    HPS_THROW_IF(cudaDeviceSynchronize());
  }

  const float* lookup(const std::vector<Key>& keys) {
    int misses = 0;
    for (int i = 0; i < kBatch; ++i) {
      auto [it, missing] = index_.try_emplace(keys[i], static_cast<int>(index_.size()));
      if (it->second >= kSlots) throw std::length_error("embedding cache is full");
      h_plan_[i] = it->second;
      if (!missing) continue;
      for (int d = 0; d < kDim; ++d) h_rows_[misses * kDim + d] = parameter_server_row(keys[i], d);
      h_plan_[kBatch + misses++] = it->second;
    }
    h_plan_[2 * kBatch] = misses;
    if (!graph_) build_graph();
    HPS_THROW_IF(cudaGraphLaunch(graph_.get(), stream_.get()));
    HPS_THROW_IF(cudaStreamSynchronize(stream_.get()));
    return h_out_.get();
  }

  unsigned long long hits() {
    unsigned long long n = 0;
    HPS_THROW_IF(cudaMemcpy(&n, d_hits_.get(), sizeof(n), cudaMemcpyDeviceToHost));
    return n;
  }

 private:
  void build_graph() {
    cudaGraph_t graph = nullptr;
    HPS_THROW_IF(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
    std::exception_ptr failure;
    try {
      enqueue_lookup();
    } catch (...) {
      failure = std::current_exception();  // the capture has to be closed first
    }
    const cudaError_t ended = cudaStreamEndCapture(stream_.get(), &graph);
    std::unique_ptr<CUgraph_st, GraphDeleter> owner(graph);
    if (failure) std::rethrow_exception(failure);
    HPS_THROW_IF(ended);
    cudaGraphExec_t exec = nullptr;
    HPS_THROW_IF(cudaGraphInstantiate(&exec, graph, 0));
    graph_.reset(exec);
  }

  void enqueue_lookup() {
    cudaStream_t s = stream_.get(), stats = stats_stream_.get();
    HPS_THROW_IF(cudaMemcpyAsync(d_plan_.get(), h_plan_.get(), (2 * kBatch + 1) * sizeof(int), cudaMemcpyHostToDevice, s));
    HPS_THROW_IF(cudaEventRecord(plan_ready_.get(), s));
    HPS_THROW_IF(cudaStreamWaitEvent(stats, plan_ready_.get(), 0));
    count_hits<<<1, 1, 0, stats>>>(d_plan_.get(), d_hits_.get());
    HPS_THROW_IF(cudaEventRecord(stats_done_.get(), stats));
    // All keys may miss: always move the whole staging area, the kernel looks at the count.
    HPS_THROW_IF(cudaMemcpyAsync(d_rows_.get(), h_rows_.get(), kBatch * kDim * sizeof(float), cudaMemcpyHostToDevice, s));
    fill_missing<<<kBatch, kDim, 0, s>>>(cache_.get(), d_rows_.get(), d_plan_.get());
    gather<<<kBatch, kDim, 0, s>>>(cache_.get(), d_plan_.get(), d_out_.get());
    HPS_THROW_IF(cudaMemcpyAsync(h_out_.get(), d_out_.get(), kBatch * kDim * sizeof(float), cudaMemcpyDeviceToHost, s));
    HPS_THROW_IF(cudaStreamWaitEvent(s, stats_done_.get(), 0));
  }

  struct GraphDeleter {
    void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); }
  };

  std::unique_ptr<float[], DeviceDeleter> cache_, d_rows_, d_out_;
  std::unique_ptr<int[], DeviceDeleter> d_plan_;
  std::unique_ptr<unsigned long long[], DeviceDeleter> d_hits_;
  std::unique_ptr<float[], PinnedDeleter> h_rows_, h_out_;
  std::unique_ptr<int[], PinnedDeleter> h_plan_;
  std::unique_ptr<cudaStream_t, StreamDeleter> stream_, stats_stream_;
  std::unique_ptr<cudaEvent_t, EventDeleter> plan_ready_, stats_done_;
  std::unique_ptr<cudaGraphExec_t, ExecDeleter> graph_;
  std::unordered_map<Key, int> index_;
};

}  // namespace hps

int main() {
  using namespace hps;
  const int fresh_keys[] = {8, 8, 0, 40, 64, 16};  // per batch; the others repeat earlier keys
  int wrong_batches = 0, failed = 0;
  unsigned long long want_hits = 0, got_hits = 0;
  try {
    EmbeddingCache cache;
    Key next = 0;
    for (int fresh : fresh_keys) {
      std::vector<Key> keys;
      for (int i = 0; i < fresh; ++i) keys.push_back(next++ * 1000003);
      for (int i = fresh; i < kBatch; ++i) keys.push_back((i * 5) % next * 1000003);
      want_hits += kBatch - fresh;
      const float* out = cache.lookup(keys);
      bool same = true;
      for (int i = 0; i < kBatch; ++i)
        for (int d = 0; d < kDim; ++d) same &= out[i * kDim + d] == parameter_server_row(keys[i], d);
      wrong_batches += !same;
    }
    got_hits = cache.hits();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    failed = 1;
  }
  std::printf("wrong batches %d, hits %llu of %llu\n", wrong_batches, got_hits, want_hits);
  std::puts(!failed && wrong_batches == 0 && got_hits == want_hits ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
