// Ingest service: recorded batches are sealed by the service worker; reference tables go through a staging pool.
#include <cuda_runtime.h>
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

constexpr int kWidth = 256;

__global__ void scaleRows(float* rows, float k) { rows[threadIdx.x] *= k; }
__global__ void applyTable(const float* table, float* out) { out[threadIdx.x] = table[threadIdx.x] + 0.5f; }

class Worker {
 public:
  Worker() : thread_([this] { loop(); }) {}
  ~Worker() { post([this] { return stop_ = true; }).wait(); thread_.join(); }
  template <class F>
  auto post(F f) -> std::future<decltype(f())> {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
    auto result = task->get_future();
    { std::lock_guard<std::mutex> l(m_); queue_.emplace_back([task] { (*task)(); }); }
    cv_.notify_one();
    return result;
  }
 private:
  void loop() {
    while (!stop_) {
      std::unique_lock<std::mutex> l(m_);
      cv_.wait(l, [this] { return !queue_.empty(); });
      auto job = std::move(queue_.front());
      queue_.pop_front();
      l.unlock();
      job();
    }
  }
  std::mutex m_;
  std::condition_variable cv_;
  std::deque<std::function<void()>> queue_;
  bool stop_ = false;
  std::thread thread_;
};
class StagingPool {
 public:
  class Lease {
   public:
    Lease(StagingPool* p, int slot) : pool_(p), slot_(slot) {}
    Lease(Lease&& o) noexcept : pool_(std::exchange(o.pool_, nullptr)), slot_(o.slot_) {}
    ~Lease() { if (pool_) pool_->busy_[slot_] = false; }
    float* data() const { return pool_->base_ + slot_ * kWidth; }
   private:
    StagingPool* pool_; int slot_;
  };
  explicit StagingPool(int slots) : busy_(slots, false) { cudaMallocHost(&base_, slots * kWidth * sizeof(float)); }
  ~StagingPool() { cudaFreeHost(base_); }
  Lease acquire() {
    int slot = int(std::find(busy_.begin(), busy_.end(), false) - busy_.begin());
    busy_.at(slot) = true;
    return Lease(this, slot);
  }
 private:
  float* base_ = nullptr;
  std::vector<bool> busy_;
};
class BatchSession {
 public:
  explicit BatchSession(cudaStream_t s, float* rows) : stream_(s), rows_(rows) {}
  ~BatchSession() { if (exec_) { cudaGraphExecDestroy(exec_); cudaGraphDestroy(graph_); } }
  cudaError_t open() { return cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal); }
  cudaError_t append(float k) { scaleRows<<<1, kWidth, 0, stream_>>>(rows_, k); return cudaGetLastError(); }
  cudaError_t seal() {
    cudaError_t rc = cudaStreamEndCapture(stream_, &graph_);
    return rc != cudaSuccess ? rc : cudaGraphInstantiate(&exec_, graph_, 0);
  }
  cudaError_t run() { return cudaGraphLaunch(exec_, stream_); }
 private:
  cudaStream_t stream_;
  float* rows_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};
class ReferenceGraph {
 public:
  ReferenceGraph(StagingPool& pool, cudaStream_t s) : pool_(pool), stream_(s) {
    cudaMalloc(&table_, kWidth * sizeof(float));
    cudaMalloc(&out_, kWidth * sizeof(float));
  }
  ~ReferenceGraph() { cudaGraphExecDestroy(exec_); cudaFree(table_); cudaFree(out_); }
  cudaError_t build(const std::vector<float>& values) {
    staged_.emplace(pool_.acquire());
    std::copy(values.begin(), values.end(), staged_->data());
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(table_, staged_->data(), kWidth * sizeof(float), cudaMemcpyHostToDevice, stream_);
    applyTable<<<1, kWidth, 0, stream_>>>(table_, out_);
    cudaGraph_t g = nullptr;
    cudaError_t rc = cudaStreamEndCapture(stream_, &g);
    if (rc != cudaSuccess) return rc;
    rc = cudaGraphInstantiate(&exec_, g, 0);
    cudaGraphDestroy(g);
    return rc;
  }
  float run() {
    float v = -1;
    cudaGraphLaunch(exec_, stream_);
    cudaMemcpyAsync(&v, out_ + 3, sizeof v, cudaMemcpyDeviceToHost, stream_);
    cudaStreamSynchronize(stream_);
    return v;
  }
 private:
  StagingPool& pool_;
  cudaStream_t stream_;
  float *table_ = nullptr, *out_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::optional<StagingPool::Lease> staged_;
};
int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  StagingPool pool(4);
  float first = 0, second = 0;
  cudaError_t built;
  {
    ReferenceGraph ref(pool, stream);
    built = ref.build(std::vector<float>(kWidth, 1.0f));
    first = ref.run();
    auto other = pool.acquire();
    std::fill_n(other.data(), kWidth, 9.0f);
    second = ref.run();
  }
  float* rows;
  cudaMalloc(&rows, kWidth * sizeof(float));
  std::vector<float> ones(kWidth, 1.0f);
  cudaMemcpy(rows, ones.data(), kWidth * sizeof(float), cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
  Worker worker;
  BatchSession session(stream, rows);
  cudaError_t sealed = worker.post([&session] {
    cudaError_t rc = session.open();
    if (rc != cudaSuccess) return rc;
    session.append(2.0f);
    return session.seal();
  }).get();
  session.run();
  session.run();
  float row = 0;
  cudaMemcpyAsync(&row, rows + 7, sizeof row, cudaMemcpyDeviceToHost, stream);
  cudaError_t done = cudaStreamSynchronize(stream);
  bool hit = built == cudaSuccess && first == 1.5f && second == 1.5f && sealed == cudaSuccess &&
             done == cudaSuccess && row == 4.0f;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED built %d values %g %g sealed %d row %g\n", built, first, second, sealed, row);
  cudaFree(rows);
  cudaStreamDestroy(stream);
  return 0;
}
