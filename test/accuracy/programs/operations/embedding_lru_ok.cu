// Cohort embedding tables on the device, bounded by an LRU; each cohort has its own scoring graph.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace recs {

#define RECS_CHECK(x)                                                                              \
  do {                                                                                             \
    if (cudaError_t e_ = (x); e_ != cudaSuccess) throw std::runtime_error(std::string(#x " ") + cudaGetErrorString(e_)); \
  } while (0)

constexpr int kRows = 4096, kDim = 16;

__global__ void dot_rows(const float* table, const float* q, float* out, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float acc = 0.f;
  for (int d = 0; d < kDim; ++d) acc += table[r * kDim + d] * q[d];
  out[r] = acc;
}

inline float cell(int cohort, int i) { return float((i * (cohort + 3)) % 29) * 0.125f; }

class DeviceTable {
 public:
  DeviceTable(int cohort, cudaStream_t s) {
    std::vector<float> host(kRows * kDim);
    for (int i = 0; i < kRows * kDim; ++i) host[i] = cell(cohort, i);
    RECS_CHECK(cudaMalloc(&data_, host.size() * sizeof(float)));
    RECS_CHECK(cudaMemcpyAsync(data_, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice, s));
    RECS_CHECK(cudaStreamSynchronize(s));
  }
  ~DeviceTable() { cudaFree(data_); }
  DeviceTable(const DeviceTable&) = delete;
  DeviceTable& operator=(const DeviceTable&) = delete;
  const float* data() const { return data_; }

 private:
  float* data_ = nullptr;
};

class EmbeddingStore {
 public:
  EmbeddingStore(size_t capacity, cudaStream_t s) : capacity_(capacity), stream_(s) {}

  std::shared_ptr<const DeviceTable> fetch(int cohort) {
    for (auto it = lru_.begin(); it != lru_.end(); ++it)
      if (it->first == cohort) { lru_.splice(lru_.begin(), lru_, it); return lru_.front().second; }
    if (lru_.size() == capacity_) lru_.pop_back();
    lru_.emplace_front(cohort, std::make_shared<const DeviceTable>(cohort, stream_));
    return lru_.front().second;
  }

 private:
  size_t capacity_;
  cudaStream_t stream_;
  std::list<std::pair<int, std::shared_ptr<const DeviceTable>>> lru_;
};

class Ranker {
 public:
  Ranker() {
    RECS_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    store_ = std::make_unique<EmbeddingStore>(2, stream_);
    RECS_CHECK(cudaMalloc(&d_q_, kDim * sizeof(float)));
    RECS_CHECK(cudaMalloc(&d_out_, kRows * sizeof(float)));
    RECS_CHECK(cudaMallocHost(&h_q_, kDim * sizeof(float)));
    RECS_CHECK(cudaMallocHost(&h_out_, kRows * sizeof(float)));
  }
  ~Ranker() {
    cudaStreamSynchronize(stream_);
    for (auto& [c, e] : plans_) cudaGraphExecDestroy(e.exec);
    plans_.clear();
    store_.reset();
    cudaFree(d_q_); cudaFree(d_out_); cudaFreeHost(h_q_); cudaFreeHost(h_out_);
    cudaStreamDestroy(stream_);
  }

  const float* rank(int cohort, const std::vector<float>& q) {
    for (int d = 0; d < kDim; ++d) h_q_[d] = q[d];
    auto it = plans_.find(cohort);
    if (it == plans_.end()) it = plans_.emplace(cohort, plan(cohort)).first;
    RECS_CHECK(cudaGraphLaunch(it->second.exec, stream_));
    RECS_CHECK(cudaStreamSynchronize(stream_));
    return h_out_;
  }

 private:
  struct Plan {
    cudaGraphExec_t exec = nullptr;
    std::shared_ptr<const DeviceTable> table;
  };

  Plan plan(int cohort) {
    Plan p;
    auto table = store_->fetch(cohort);
    cudaGraph_t g = nullptr;
    RECS_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    RECS_CHECK(cudaMemcpyAsync(d_q_, h_q_, kDim * sizeof(float), cudaMemcpyHostToDevice, stream_));
    dot_rows<<<(kRows + 127) / 128, 128, 0, stream_>>>(table->data(), d_q_, d_out_, kRows);
    RECS_CHECK(cudaGetLastError());
    RECS_CHECK(cudaMemcpyAsync(h_out_, d_out_, kRows * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    RECS_CHECK(cudaStreamEndCapture(stream_, &g));
    RECS_CHECK(cudaGraphInstantiate(&p.exec, g, 0));
    RECS_CHECK(cudaGraphDestroy(g));
    p.table = std::move(table);
    return p;
  }

  cudaStream_t stream_ = nullptr;
  std::unique_ptr<EmbeddingStore> store_;
  std::unordered_map<int, Plan> plans_;
  float *d_q_ = nullptr, *d_out_ = nullptr, *h_q_ = nullptr, *h_out_ = nullptr;
};

static float worst(int cohort, const std::vector<float>& q, const float* got) {
  float w = 0.f;
  for (int r = 0; r < kRows; ++r) {
    float acc = 0.f;
    for (int d = 0; d < kDim; ++d) acc += cell(cohort, r * kDim + d) * q[d];
    w = std::fmax(w, std::fabs(acc - got[r]));
  }
  return w;
}

}  // namespace recs

int main() {
  const int traffic[] = {0, 1, 0, 1, 2, 0, 3, 1};
  bool early = true, late = true;
  try {
    recs::Ranker ranker;
    int n = 0;
    for (int cohort : traffic) {
      std::vector<float> q(recs::kDim);
      for (int d = 0; d < recs::kDim; ++d) q[d] = 0.25f * float((d + n) % 6);
      float w = recs::worst(cohort, q, ranker.rank(cohort, q));
      std::printf("request %d cohort %d worst error %g\n", n, cohort, w);
      (n < 5 ? early : late) &= w < 1e-2f;
      ++n;
    }
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    early = late = false;
  }
  const bool seen = early && late;
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
}
