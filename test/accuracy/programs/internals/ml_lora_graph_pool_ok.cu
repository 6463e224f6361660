#include <cuda_runtime.h>
#include <cstdio>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

static int g_errors = 0;
#define CHECK(call)                                                              \
  do {                                                                           \
    cudaError_t rc_ = (call);                                                    \
    if (rc_ != cudaSuccess) {                                                    \
      ++g_errors;                                                                \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorName(rc_)); \
    }                                                                            \
  } while (0)

constexpr int kDim = 32;

__global__ void lora_forward(const float* x, const float* base, const float* delta, float* y, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * kDim) y[i] = x[i] * (base[i % kDim] + delta[i % kDim]);
}

class AdapterRegistry {
 public:
  ~AdapterRegistry() {
    for (auto& [name, p] : weights_) cudaFree(p);
  }
  void load(const std::string& name, float value) {
    float* p = nullptr;
    CHECK(cudaMalloc(&p, kDim * sizeof(float)));
    std::vector<float> host(kDim, value);
    CHECK(cudaMemcpy(p, host.data(), kDim * sizeof(float), cudaMemcpyHostToDevice));
    weights_[name] = p;
  }
  float* at(const std::string& name) const { return weights_.at(name); }

 private:
  std::unordered_map<std::string, float*> weights_;
};

class LoraLinear {
 public:
  LoraLinear(AdapterRegistry& registry, int max_rows) : registry_(registry) {
    registry_.load("base", 1.0f);
    CHECK(cudaMalloc(&x_, max_rows * kDim * sizeof(float)));
    CHECK(cudaMalloc(&active_, kDim * sizeof(float)));
    CHECK(cudaMalloc(&y_, max_rows * kDim * sizeof(float)));
    std::vector<float> ones(max_rows * kDim, 1.0f);
    CHECK(cudaMemcpy(x_, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
  }
  ~LoraLinear() {
    cudaFree(x_);
    cudaFree(active_);
    cudaFree(y_);
  }
  void use(const std::string& adapter, cudaStream_t s) {
    CHECK(cudaMemcpyAsync(active_, registry_.at(adapter), kDim * sizeof(float), cudaMemcpyDeviceToDevice, s));
  }
  void enqueue(int rows, cudaStream_t s) {
    lora_forward<<<rows, kDim, 0, s>>>(x_, registry_.at("base"), active_, y_, rows);
  }
  const float* output() const { return y_; }

 private:
  AdapterRegistry& registry_;
  float *x_ = nullptr, *y_ = nullptr;
  float* active_ = nullptr;
};

struct GraphEntry {
  int rows = 0;
  cudaGraphExec_t exec = nullptr;
  ~GraphEntry() {
    if (exec) cudaGraphExecDestroy(exec);
  }
};
using EntryPtr = std::shared_ptr<GraphEntry>;

class GraphPool {
 public:
  GraphPool(LoraLinear& layer, size_t limit) : layer_(layer), limit_(limit) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~GraphPool() {
    lru_.clear();
    cudaStreamDestroy(stream_);
  }
  EntryPtr acquire(int rows) {
    for (auto it = lru_.begin(); it != lru_.end(); ++it) {
      if ((*it)->rows != rows) continue;
      lru_.splice(lru_.begin(), lru_, it);
      return lru_.front();
    }
    if (lru_.size() == limit_) lru_.pop_back();
    auto entry = std::make_shared<GraphEntry>();
    entry->rows = rows;
    record(*entry);
    lru_.push_front(entry);
    return entry;
  }
  cudaStream_t stream() const { return stream_; }

 private:
  void record(GraphEntry& entry) {
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    layer_.enqueue(entry.rows, stream_);
    CHECK(cudaStreamEndCapture(stream_, &graph));
    CHECK(cudaGraphInstantiate(&entry.exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
  }
  LoraLinear& layer_;
  size_t limit_;
  cudaStream_t stream_ = nullptr;
  std::list<EntryPtr> lru_;
};

class Session {
 public:
  Session(GraphPool& pool, LoraLinear& layer, int rows) : pool_(pool), layer_(layer), entry_(pool.acquire(rows)) {}
  cudaError_t forward(float& y) {
    cudaError_t rc = cudaGraphLaunch(entry_->exec, pool_.stream());
    if (rc != cudaSuccess) return rc;
    CHECK(cudaMemcpyAsync(&y, layer_.output(), sizeof y, cudaMemcpyDeviceToHost, pool_.stream()));
    return cudaStreamSynchronize(pool_.stream());
  }

 private:
  GraphPool& pool_;
  LoraLinear& layer_;
  EntryPtr entry_;
};

int main() {
  AdapterRegistry registry;
  registry.load("legal", 2.0f);
  registry.load("medical", 5.0f);
  LoraLinear layer(registry, 16);
  GraphPool pool(layer, 2);
  layer.use("legal", pool.stream());
  float y1 = 0, y2 = 0, y3 = 0, unused = 0;
  Session chat(pool, layer, 4);
  cudaError_t a = chat.forward(y1);
  layer.use("medical", pool.stream());
  cudaError_t b = chat.forward(y2);
  Session batch(pool, layer, 8), burst(pool, layer, 16);
  cudaError_t c = batch.forward(unused), d = burst.forward(unused);
  cudaError_t e = chat.forward(y3);
  cudaGetLastError();
  bool alive = g_errors == 0 && a == cudaSuccess && b == cudaSuccess && c == cudaSuccess && d == cudaSuccess;
  if (alive && y1 == 3.0f && y2 == 6.0f && y3 == 6.0f && e == cudaSuccess) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED errors %d y %f %f %f status %d\n", g_errors, y1, y2, y3, int(e));
  return 0;
}
