// rank_server: two-layer ranking model served with one CUDA graph per batch bucket.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace serve {

constexpr int kFeatures = 24;
constexpr int kHidden = 64;

inline void Check(cudaError_t status, const char* expr) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(expr) + ": " + cudaGetErrorString(status));
}
#define CUDA_CHECK(expr) ::serve::Check((expr), #expr)

// Caches device blocks by size; everything the server touches comes from here.
class DevicePool {
 public:
  void* Acquire(size_t bytes) {
    auto& list = free_[bytes];
    if (!list.empty()) {
      void* p = list.back();
      list.pop_back();
      return p;
    }
    void* p = nullptr;
    CUDA_CHECK(cudaMalloc(&p, bytes));
    owned_.push_back(p);
    return p;
  }
  void Return(void* p, size_t bytes) { free_[bytes].push_back(p); }
  ~DevicePool() {
    for (void* p : owned_) cudaFree(p);
  }

 private:
  std::map<size_t, std::vector<void*>> free_;
  std::vector<void*> owned_;
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(DevicePool& pool, int rows, int cols)
      : pool_(&pool), bytes_(sizeof(float) * rows * cols), data_(static_cast<float*>(pool.Acquire(bytes_))) {}
  Tensor(Tensor&& o) noexcept { *this = std::move(o); }
  Tensor& operator=(Tensor&& o) noexcept {
    std::swap(pool_, o.pool_);
    std::swap(bytes_, o.bytes_);
    std::swap(data_, o.data_);
    return *this;
  }
  ~Tensor() {
    if (data_) pool_->Return(data_, bytes_);
  }
  float* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  DevicePool* pool_ = nullptr;
  size_t bytes_ = 0;
  float* data_ = nullptr;
};

__global__ void DenseRelu(const float* x, const float* w, float* h) {
  int row = blockIdx.x, j = threadIdx.x;
  float sum = 0.f;
  for (int f = 0; f < kFeatures; ++f) sum += x[row * kFeatures + f] * w[j * kFeatures + f];
  h[row * kHidden + j] = sum > 0.f ? sum : 0.f;
}

__global__ void Score(const float* h, const float* w, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.f;
  for (int j = 0; j < kHidden; ++j) sum += h[row * kHidden + j] * w[j];
  y[row] = sum;
}

struct Plan {
  Tensor input, hidden, scores;  // everything the graph touches stays with it
  float* host_scores = nullptr;  // pinned
  cudaGraphExec_t exec = nullptr;
  ~Plan() {
    if (exec) cudaGraphExecDestroy(exec);
    if (host_scores) cudaFreeHost(host_scores);
  }
};

class RankServer {
 public:
  RankServer(DevicePool& pool, const std::vector<float>& w1, const std::vector<float>& w2)
      : pool_(pool), w1_(pool, kHidden, kFeatures), w2_(pool, 1, kHidden) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    Upload(w1_, w1);
    Upload(w2_, w2);
  }
  ~RankServer() {
    plans_.clear();
    cudaStreamDestroy(stream_);
  }

  void Upload(Tensor& t, const std::vector<float>& v) {
    CUDA_CHECK(cudaMemcpyAsync(t.data(), v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
    CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  std::vector<float> Rank(const std::vector<float>& features) {
    const int rows = static_cast<int>(features.size()) / kFeatures;
    int bucket = 8;
    while (bucket < rows) bucket *= 2;
    auto& plan = plans_[bucket];
    if (!plan) plan = Capture(bucket);
    CUDA_CHECK(cudaMemcpyAsync(plan->input.data(), features.data(), features.size() * sizeof(float),
                               cudaMemcpyHostToDevice, stream_));
    CUDA_CHECK(cudaGraphLaunch(plan->exec, stream_));
    CUDA_CHECK(cudaStreamSynchronize(stream_));
    return {plan->host_scores, plan->host_scores + rows};
  }

 private:
  std::unique_ptr<Plan> Capture(int bucket) {
    auto plan = std::make_unique<Plan>();
    plan->input = Tensor(pool_, bucket, kFeatures);
    plan->scores = Tensor(pool_, bucket, 1);
    Tensor hidden(pool_, bucket, kHidden);
    CUDA_CHECK(cudaMallocHost(&plan->host_scores, bucket * sizeof(float)));
    CUDA_CHECK(cudaMemsetAsync(plan->input.data(), 0, plan->input.bytes(), stream_));

    cudaGraph_t graph = nullptr;
    CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    DenseRelu<<<bucket, kHidden, 0, stream_>>>(plan->input.data(), w1_.data(), hidden.data());
    Score<<<(bucket + 31) / 32, 32, 0, stream_>>>(hidden.data(), w2_.data(), plan->scores.data(), bucket);
    cudaError_t copied = cudaMemcpyAsync(plan->host_scores, plan->scores.data(), bucket * sizeof(float), cudaMemcpyDeviceToHost, stream_);
    CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    CUDA_CHECK(copied);
    plan->hidden = std::move(hidden);
    CUDA_CHECK(cudaGraphInstantiate(&plan->exec, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    return plan;
  }

  DevicePool& pool_;
  Tensor w1_, w2_;
  cudaStream_t stream_ = nullptr;
  std::map<int, std::unique_ptr<Plan>> plans_;
};

}  // namespace serve

static float Wave(int i, int seed) { return std::sin(0.37f * i + 1.3f * seed); }

static int WrongScores(serve::RankServer& server, int rows, int seed, const std::vector<float>& w1,
                       const std::vector<float>& w2) {
  using namespace serve;
  std::vector<float> x(rows * kFeatures);
  for (size_t i = 0; i < x.size(); ++i) x[i] = Wave(static_cast<int>(i), seed);
  std::vector<float> got = server.Rank(x);
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    float want = 0.f;
    for (int j = 0; j < kHidden; ++j) {
      float h = 0.f;
      for (int f = 0; f < kFeatures; ++f) h += x[r * kFeatures + f] * w1[j * kFeatures + f];
      want += (h > 0.f ? h : 0.f) * w2[j];
    }
    wrong += !(std::fabs(want - got[r]) < 1e-3f * (1.f + std::fabs(want)));
  }
  return wrong;
}

int main() {
  using namespace serve;
  bool failed = false;
  try {
    DevicePool pool;
    std::vector<float> w1(kHidden * kFeatures), w2(kHidden);
    for (size_t i = 0; i < w1.size(); ++i) w1[i] = Wave(static_cast<int>(i), 91);
    for (size_t i = 0; i < w2.size(); ++i) w2[i] = 0.5f + 0.25f * Wave(static_cast<int>(i), 17);
    RankServer server(pool, w1, w2);

    int wrong = WrongScores(server, 5, 1, w1, w2);
    Tensor hot_items(pool, 8, kHidden);  // embeddings of the most requested items, kept for the life of the server
    std::vector<float> items(8 * kHidden), back(items.size());
    for (size_t i = 0; i < items.size(); ++i) items[i] = 100.f + i;
    server.Upload(hot_items, items);
    for (int rows : {7, 3, 12, 8, 16}) wrong += WrongScores(server, rows, rows, w1, w2);

    CUDA_CHECK(cudaMemcpy(back.data(), hot_items.data(), hot_items.bytes(), cudaMemcpyDeviceToHost));
    std::printf("wrong scores %d, item cache %s\n", wrong, back == items ? "intact" : "overwritten");
    failed = wrong > 0 || back != items;
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    failed = true;
  }
  std::puts(!failed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
}
